// scan: the sums of all numbers before each.

#include <vector>

extern "C" void scan(void *const *arrays, const long *numbers) {
    const int *__restrict x = static_cast<const int *>(arrays[0]);
    int *__restrict before = static_cast<int *>(arrays[1]);
    const long n = numbers[0];
    std::vector<int> sums(omp_get_max_threads() + 1);
#pragma omp parallel
    {
        const long threads = omp_get_num_threads(), thread = omp_get_thread_num();
        const long first = n * thread / threads, end = n * (thread + 1) / threads;
        // The first pass, which one thread does not need.
        if (threads > 1) {
            int sum = 0;
            for (long i = first; i < end; ++i)
                sum += x[i];
            sums[thread + 1] = sum;
#pragma omp barrier
#pragma omp single
            for (long other = 0; other < threads; ++other)
                sums[other + 1] += sums[other];
        }
        int sum = sums[thread];
        for (long i = first; i < end; ++i) {
            before[i] = sum;
            sum += x[i];
        }
    }
}
