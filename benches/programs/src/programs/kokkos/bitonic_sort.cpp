// bitonic-sort: a launch for each step of the network.

extern "C" void bitonic_sort(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<unsigned *> x(static_cast<unsigned *>(arrays[0]), n);
    for (long width = 2; width <= n; width *= 2)
        for (long far = width / 2; far > 0; far /= 2)
            Kokkos::parallel_for("bitonic", n, KOKKOS_LAMBDA(long i) {
                const long other = i ^ far;
                if (other > i && (x(i) > x(other)) == ((i & width) == 0))
                    Kokkos::kokkos_swap(x(i), x(other));
            });
}
