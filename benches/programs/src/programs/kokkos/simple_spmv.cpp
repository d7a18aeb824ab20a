// simpleSpmv, by a team for each row.

extern "C" void sparse(void *const *arrays, const long *numbers) {
    const long rows = numbers[0];
    const Array<const long *> offsets(static_cast<const long *>(arrays[0]), rows + 1);
    const long entries = offsets(rows);
    const Array<const unsigned *> columns(static_cast<const unsigned *>(arrays[1]), entries);
    const Array<const float *> values(static_cast<const float *>(arrays[2]), entries);
    const float *x = static_cast<const float *>(arrays[3]);
    const Array<float *> y(static_cast<float *>(arrays[4]), rows);
    Kokkos::parallel_for("sparse", rows, KOKKOS_LAMBDA(long row) {
        float sum = 0.0f;
        for (long entry = offsets(row); entry < offsets(row + 1); ++entry)
            sum += values(entry) * x[columns(entry)];
        y(row) = sum;
    });
}

extern "C" void dense(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const float **> matrix(static_cast<const float *>(arrays[0]), n, n);
    const Array<const float *> x(static_cast<const float *>(arrays[1]), n);
    const Array<float *> y(static_cast<float *>(arrays[2]), n);
    Kokkos::parallel_for("dense", Kokkos::TeamPolicy<>(n, Kokkos::AUTO), KOKKOS_LAMBDA(const Member &team) {
        const long row = team.league_rank();
        float sum;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, n), [&](long column, float &sum) { sum += matrix(row, column) * x(column); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { y(row) = sum; });
    });
}
