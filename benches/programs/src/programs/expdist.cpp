// expdist: a sum of exponentials over all pairs of particles.

#include <cmath>

extern "C" void expdist(void *const *arrays, const long *numbers) {
    const double *__restrict p[6];
    for (int part = 0; part < 6; ++part)
        p[part] = static_cast<const double *>(arrays[part]);
    const double *__restrict ax = p[0], *__restrict ay = p[1], *__restrict as = p[2];
    const double *__restrict bx = p[3], *__restrict by = p[4], *__restrict bs = p[5];
    const long n = numbers[0];
    double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < n; ++i)
        for (long j = 0; j < n; ++j) {
            const double x = ax[i] - bx[j], y = ay[i] - by[j];
            sum += std::exp(-(x * x + y * y) / (as[i] * as[i] + bs[j] * bs[j]));
        }
    *static_cast<double *>(arrays[6]) = sum;
}
