// jacobi: one iteration, and the sum of the squared changes.

extern "C" void jacobi(void *const *arrays, const long *numbers) {
    const float *__restrict now = static_cast<const float *>(arrays[0]);
    float *__restrict next = static_cast<float *>(arrays[1]);
    const long n = numbers[0];
    float sum = 0.0f;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 1; i < n - 1; ++i)
        for (long j = 1; j < n - 1; ++j) {
            const long at = i * n + j;
            next[at] = 0.25f * (now[at - 1] + now[at + 1] + now[at - n] + now[at + n]);
            const float change = next[at] - now[at];
            sum += change * change;
        }
    *static_cast<float *>(arrays[2]) = sum;
}
