// channelSum, by a team for each channel.

namespace {

struct Sums {
    float sum = 0.0f, squares = 0.0f;
    KOKKOS_INLINE_FUNCTION void operator+=(const Sums &other) {
        sum += other.sum;
        squares += other.squares;
    }
};

} // namespace

template <>
struct Kokkos::reduction_identity<Sums> {
    KOKKOS_INLINE_FUNCTION static Sums sum() { return {}; }
};

extern "C" void channel_sum(void *const *arrays, const long *numbers) {
    const long images = numbers[0], channels = numbers[1], pixels = numbers[2];
    // The distances of the elements of a channel: planes of images, or one after the other in each pixel.
    const bool last = numbers[3];
    const long to_channel = last ? 1 : pixels, to_pixel = last ? channels : 1;
    const Array<const float *> x(static_cast<const float *>(arrays[0]), images * channels * pixels);
    const Array<float *[2]> sums(static_cast<float *>(arrays[1]), channels);
    Kokkos::parallel_for("channelSum", Kokkos::TeamPolicy<>(channels, Kokkos::AUTO), KOKKOS_LAMBDA(const Member &team) {
        const long c = team.league_rank();
        Sums all;
        Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, images),
            [&](long image, Sums &sums) {
                for (long pixel = 0; pixel < pixels; ++pixel) {
                    const float value = x(image * channels * pixels + c * to_channel + pixel * to_pixel);
                    sums.sum += value;
                    sums.squares += value * value;
                }
            },
            Kokkos::Sum<Sums>(all));
        Kokkos::single(Kokkos::PerTeam(team), [&] {
            sums(c, 0) = all.sum;
            sums(c, 1) = all.squares;
        });
    });
}
