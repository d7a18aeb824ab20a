// softmax, by a team for each row.

extern "C" void softmax(void *const *arrays, const long *numbers) {
    const long rows = numbers[0], columns = numbers[1];
    const Array<const float **> x(static_cast<const float *>(arrays[0]), rows, columns);
    const Array<float **> y(static_cast<float *>(arrays[1]), rows, columns);
    Kokkos::parallel_for("softmax", Kokkos::TeamPolicy<>(rows, Kokkos::AUTO), KOKKOS_LAMBDA(const Member &team) {
        const long i = team.league_rank();
        float largest, sum;
        Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, columns),
            [&](long j, float &found) { found = x(i, j) > found ? x(i, j) : found; }, Kokkos::Max<float>(largest));
        Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, columns),
            [&](long j, float &found) {
                y(i, j) = Kokkos::exp(x(i, j) - largest);
                found += y(i, j);
            },
            sum);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, columns), [&](long j) { y(i, j) /= sum; });
    });
}
