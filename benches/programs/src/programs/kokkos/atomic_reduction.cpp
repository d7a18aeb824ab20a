// atomicReduction: the sums of blocks, added atomically.

extern "C" void atomic_reduction(void *const *arrays, const long *numbers) {
    constexpr long block = 1024;
    const Array<const int *> x(static_cast<const int *>(arrays[0]), numbers[0]);
    const Array<int> total(static_cast<int *>(arrays[1]));
    total() = 0;
    Kokkos::parallel_for("atomicReduction", numbers[0] / block, KOKKOS_LAMBDA(long number) {
        int sum = 0;
        for (long i = number * block; i < (number + 1) * block; ++i)
            sum += x(i);
        Kokkos::atomic_add(&total(), sum);
    });
}
