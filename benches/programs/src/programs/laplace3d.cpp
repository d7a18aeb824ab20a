// laplace3d: each inner cell of the cube becomes the mean of its neighbours.

extern "C" void laplace3d(void *const *arrays, const long *numbers) {
    const float *__restrict now = static_cast<const float *>(arrays[0]);
    float *__restrict next = static_cast<float *>(arrays[1]);
    const long n = numbers[0];
#pragma omp parallel for schedule(static)
    for (long i = 1; i < n - 1; ++i)
        for (long j = 1; j < n - 1; ++j)
            for (long k = 1; k < n - 1; ++k) {
                const long at = (i * n + j) * n + k;
                next[at] = (now[at - 1] + now[at + 1] + now[at - n] + now[at + n] + now[at - n * n] + now[at + n * n]) * (1.0f / 6.0f);
            }
}
