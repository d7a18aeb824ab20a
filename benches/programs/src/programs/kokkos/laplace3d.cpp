// laplace3d, over a box of inner cells.

extern "C" void laplace3d(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const float ***> now(static_cast<const float *>(arrays[0]), n, n, n);
    const Array<float ***> next(static_cast<float *>(arrays[1]), n, n, n);
    Kokkos::parallel_for("laplace3d", Kokkos::MDRangePolicy<Kokkos::Rank<3>>({1, 1, 1}, {n - 1, n - 1, n - 1}),
        KOKKOS_LAMBDA(long i, long j, long k) {
            next(i, j, k) = (now(i, j, k - 1) + now(i, j, k + 1) + now(i, j - 1, k) + now(i, j + 1, k) + now(i - 1, j, k)
                                + now(i + 1, j, k))
                * (1.0f / 6.0f);
        });
}
