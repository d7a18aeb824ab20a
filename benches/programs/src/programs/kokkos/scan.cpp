// scan: the sums of all numbers before each.

extern "C" void scan(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const int *> x(static_cast<const int *>(arrays[0]), n);
    const Array<int *> before(static_cast<int *>(arrays[1]), n);
    Kokkos::parallel_scan("scan", n, KOKKOS_LAMBDA(long i, int &sum, bool last) {
        const int own = x(i);
        if (last)
            before(i) = sum;
        sum += own;
    });
}
