// histogram: the counts of the values of bytes.

extern "C" void histogram(void *const *arrays, const long *numbers) {
    const unsigned char *__restrict pixels = static_cast<const unsigned char *>(arrays[0]);
    unsigned *__restrict counts = static_cast<unsigned *>(arrays[1]);
    unsigned own[256] = {};
#pragma omp parallel for schedule(static) reduction(+ : own)
    for (long i = 0; i < numbers[0]; ++i)
        ++own[pixels[i]];
    for (int value = 0; value < 256; ++value)
        counts[value] = own[value];
}
