// expdist: an iteration for each particle of the first set.

extern "C" void expdist(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const auto particles = [&](int part) { return Array<const double *>(static_cast<const double *>(arrays[part]), n); };
    const auto ax = particles(0), ay = particles(1), as = particles(2), bx = particles(3), by = particles(4), bs = particles(5);
    double total = 0.0;
    Kokkos::parallel_reduce("expdist", n,
        KOKKOS_LAMBDA(long i, double &sum) {
            for (long j = 0; j < n; ++j) {
                const double x = ax(i) - bx(j), y = ay(i) - by(j);
                sum += Kokkos::exp(-(x * x + y * y) / (as(i) * as(i) + bs(j) * bs(j)));
            }
        },
        total);
    *static_cast<double *>(arrays[6]) = total;
}
