// lattice-boltzmann, over a box of cells.

namespace {

constexpr int populations = 19;
constexpr int velocities[populations][3] = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1},
    {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1},
    {0, 1, -1}, {0, -1, 1}};

constexpr double weight(int q) {
    return q == 0 ? 1.0 / 3.0 : q < 7 ? 1.0 / 18.0 : 1.0 / 36.0;
}

constexpr int opposite(int q) {
    return q == 0 ? 0 : q % 2 == 1 ? q + 1 : q - 1;
}

} // namespace

extern "C" void lattice_boltzmann(void *const *arrays, const long *numbers) {
    const double *parameters = static_cast<const double *>(arrays[0]);
    const double relaxation = parameters[0], lid = parameters[1];
    const long size = numbers[0], side = size + 2, row = numbers[1], all = side * side * row;
    const Array<const unsigned char *> kinds(static_cast<const unsigned char *>(arrays[1]), all);
    Kokkos::Array<Array<const double *>, populations> now;
    Kokkos::Array<Array<double *>, populations> next;
    for (int q = 0; q < populations; ++q) {
        now[q] = Array<const double *>(static_cast<const double *>(arrays[2 + q]), all);
        next[q] = Array<double *>(static_cast<double *>(arrays[2 + populations + q]), all);
    }
    Kokkos::parallel_for("lattice-boltzmann", Kokkos::MDRangePolicy<Kokkos::Rank<3>>({1, 1, 1}, {side - 1, side - 1, side - 1}),
        KOKKOS_LAMBDA(long i, long j, long k) {
            const long at = (i * side + j) * row + k;
            double f[populations], density = 0.0, x = 0.0, y = 0.0, z = 0.0;
            for (int q = 0; q < populations; ++q) {
                const int *c = velocities[q];
                const long from = at - ((c[0] * side + c[1]) * row + c[2]);
                const double pushed = kinds(from) == 2 ? 6.0 * weight(q) * c[0] * lid : 0.0;
                f[q] = kinds(from) == 0 ? now[q](from) : now[opposite(q)](at) + pushed;
                density += f[q];
                x += c[0] * f[q];
                y += c[1] * f[q];
                z += c[2] * f[q];
            }
            x /= density;
            y /= density;
            z /= density;
            const double square = x * x + y * y + z * z;
            for (int q = 0; q < populations; ++q) {
                const int *c = velocities[q];
                const double forward = c[0] * x + c[1] * y + c[2] * z;
                const double equilibrium = weight(q) * density * (1.0 + 3.0 * forward + 4.5 * forward * forward - 1.5 * square);
                next[q](at) = f[q] + relaxation * (equilibrium - f[q]);
            }
        });
}
