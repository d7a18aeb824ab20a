// k-means: one iteration over points of 8 numbers and 16 centres, whose sums and counts are one value of a reduction.

namespace {

constexpr int features = 8, clusters = 16;

struct Sums {
    float sums[clusters][features] = {};
    unsigned counts[clusters] = {};
    long changed = 0;
    KOKKOS_INLINE_FUNCTION void operator+=(const Sums &other) {
        for (int c = 0; c < clusters; ++c) {
            for (int f = 0; f < features; ++f)
                sums[c][f] += other.sums[c][f];
            counts[c] += other.counts[c];
        }
        changed += other.changed;
    }
};

} // namespace

template <>
struct Kokkos::reduction_identity<Sums> {
    KOKKOS_INLINE_FUNCTION static Sums sum() { return {}; }
};

extern "C" void k_means(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const float *[features]> points(static_cast<const float *>(arrays[0]), n);
    const Array<unsigned *> nearest(static_cast<unsigned *>(arrays[1]), n);
    const Array<float[clusters][features]> centres(static_cast<float *>(arrays[2]));
    Sums all;
    Kokkos::parallel_reduce("k-means", n,
        KOKKOS_LAMBDA(long i, Sums &own) {
            unsigned best = 0;
            float least = Kokkos::Experimental::finite_max_v<float>;
            for (unsigned c = 0; c < clusters; ++c) {
                float far = 0.0f;
                for (int f = 0; f < features; ++f) {
                    const float difference = points(i, f) - centres(c, f);
                    far += difference * difference;
                }
                if (far < least) {
                    least = far;
                    best = c;
                }
            }
            for (int f = 0; f < features; ++f)
                own.sums[best][f] += points(i, f);
            own.counts[best] += 1;
            own.changed += nearest(i) != best;
            nearest(i) = best;
        },
        Kokkos::Sum<Sums>(all));
    for (int c = 0; c < clusters; ++c)
        for (int f = 0; f < features; ++f)
            if (all.counts[c] > 0)
                centres(c, f) = all.sums[c][f] / all.counts[c];
    // Where Spelt's would be returned.
    static volatile long kept;
    kept = all.changed;
}
