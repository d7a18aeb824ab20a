// atomicReduction: the sums of blocks, added atomically.

extern "C" void atomic_reduction(void *const *arrays, const long *numbers) {
    constexpr long block = 1024;
    const int *__restrict x = static_cast<const int *>(arrays[0]);
    int total = 0;
#pragma omp parallel for schedule(static)
    for (long first = 0; first < numbers[0]; first += block) {
        int sum = 0;
        for (long i = first; i < first + block; ++i)
            sum += x[i];
#pragma omp atomic
        total += sum;
    }
    *static_cast<int *>(arrays[1]) = total;
}
