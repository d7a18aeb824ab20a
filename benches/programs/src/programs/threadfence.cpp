// threadfence: the sum of an array.

extern "C" void threadfence(void *const *arrays, const long *numbers) {
    const float *__restrict x = static_cast<const float *>(arrays[0]);
    float sum = 0.0f;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < numbers[0]; ++i)
        sum += x[i];
    *static_cast<float *>(arrays[1]) = sum;
}
