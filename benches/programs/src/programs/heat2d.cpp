// heat2d: one explicit step of the heat equation.

extern "C" void heat2d(void *const *arrays, const long *numbers) {
    const double *__restrict now = static_cast<const double *>(arrays[0]);
    double *__restrict next = static_cast<double *>(arrays[1]);
    const long n = numbers[0];
#pragma omp parallel for schedule(static)
    for (long i = 1; i < n - 1; ++i)
        for (long j = 1; j < n - 1; ++j) {
            const long at = i * n + j;
            const double neighbours = now[at - 1] + now[at + 1] + now[at - n] + now[at + n];
            next[at] = now[at] + 0.2 * (neighbours - 4.0 * now[at]);
        }
}
