// floydwarshall: a launch for each node on the way.

extern "C" void floydwarshall(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<unsigned **> length(static_cast<unsigned *>(arrays[0]), n, n), through(static_cast<unsigned *>(arrays[1]), n, n);
    for (long k = 0; k < n; ++k)
        Kokkos::parallel_for("floydwarshall", n, KOKKOS_LAMBDA(long i) {
            for (long j = 0; j < n; ++j) {
                const unsigned way = length(i, k) + length(k, j);
                if (way < length(i, j)) {
                    length(i, j) = way;
                    through(i, j) = k;
                }
            }
        });
}
