// bitonic-sort: a network that sorts a power of two of numbers.

#include <algorithm>

extern "C" void bitonic_sort(void *const *arrays, const long *numbers) {
    unsigned *x = static_cast<unsigned *>(arrays[0]);
    const long n = numbers[0];
    for (long width = 2; width <= n; width *= 2)
        for (long far = width / 2; far > 0; far /= 2) {
#pragma omp parallel for schedule(static)
            for (long i = 0; i < n; ++i) {
                const long other = i ^ far;
                if (other > i && (x[i] > x[other]) == ((i & width) == 0))
                    std::swap(x[i], x[other]);
            }
        }
}
