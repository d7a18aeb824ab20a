// heat2d, over a box of inner cells.

extern "C" void heat2d(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const double **> now(static_cast<const double *>(arrays[0]), n, n);
    const Array<double **> next(static_cast<double *>(arrays[1]), n, n);
    Kokkos::parallel_for("heat2d", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 1}, {n - 1, n - 1}), KOKKOS_LAMBDA(long i, long j) {
        const double neighbours = now(i, j - 1) + now(i, j + 1) + now(i - 1, j) + now(i + 1, j);
        next(i, j) = now(i, j) + 0.2 * (neighbours - 4.0 * now(i, j));
    });
}
