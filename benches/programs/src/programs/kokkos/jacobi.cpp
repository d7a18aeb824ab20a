// jacobi, over a box of inner cells.

extern "C" void jacobi(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const float **> now(static_cast<const float *>(arrays[0]), n, n);
    const Array<float **> next(static_cast<float *>(arrays[1]), n, n);
    float total = 0.0f;
    Kokkos::parallel_reduce("jacobi", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 1}, {n - 1, n - 1}),
        KOKKOS_LAMBDA(long i, long j, float &sum) {
            next(i, j) = 0.25f * (now(i, j - 1) + now(i, j + 1) + now(i - 1, j) + now(i + 1, j));
            const float change = next(i, j) - now(i, j);
            sum += change * change;
        },
        total);
    *static_cast<float *>(arrays[2]) = total;
}
