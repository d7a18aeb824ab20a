// k-means: one iteration over points of 8 numbers and 16 centres.

#include <limits>

extern "C" void k_means(void *const *arrays, const long *numbers) {
    constexpr int features = 8, clusters = 16;
    const float(*__restrict points)[features] = static_cast<const float(*)[features]>(arrays[0]);
    unsigned *__restrict nearest = static_cast<unsigned *>(arrays[1]);
    float(*__restrict centres)[features] = static_cast<float(*)[features]>(arrays[2]);
    float sums[clusters][features] = {};
    unsigned counts[clusters] = {};
    long changed = 0;
#pragma omp parallel for schedule(static) reduction(+ : sums, counts, changed)
    for (long i = 0; i < numbers[0]; ++i) {
        unsigned best = 0;
        float least = std::numeric_limits<float>::max();
        for (unsigned c = 0; c < clusters; ++c) {
            float far = 0.0f;
            for (int f = 0; f < features; ++f) {
                const float difference = points[i][f] - centres[c][f];
                far += difference * difference;
            }
            if (far < least) {
                least = far;
                best = c;
            }
        }
        for (int f = 0; f < features; ++f)
            sums[best][f] += points[i][f];
        counts[best] += 1;
        changed += nearest[i] != best;
        nearest[i] = best;
    }
    for (int c = 0; c < clusters; ++c)
        for (int f = 0; f < features; ++f)
            if (counts[c] > 0)
                centres[c][f] = sums[c][f] / counts[c];
    // Where Spelt's would be returned.
    static volatile long kept;
    kept = changed;
}
