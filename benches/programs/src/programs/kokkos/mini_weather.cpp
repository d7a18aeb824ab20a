// miniWeather, over boxes of cells and faces.

namespace {

constexpr int variables = 4;
constexpr double exponent = 1.400278940027894, factor = 27.562941092972593, gravity = 9.8;

using Box = Kokkos::MDRangePolicy<Kokkos::Rank<2>>;
using Fields = Kokkos::Array<Array<double **>, variables>;

struct Air {
    Fields state, stage, flux, tendency;
    Array<const double *> density, heat, density_at_face, heat_at_face, pressure_at_face;
    long nx, nz;
    double dx, dz;
};

// Of four cells, of which `b` and `c` are beside the face.
KOKKOS_INLINE_FUNCTION double value(double a, double b, double c, double d) {
    return 7.0 / 12.0 * (b + c) - 1.0 / 12.0 * (a + d);
}

KOKKOS_INLINE_FUNCTION double third(double a, double b, double c, double d) {
    return d - a + 3.0 * (b - c);
}

void ghosts_x(const Air &air, const Fields &q) {
    const long nx = air.nx;
    Kokkos::parallel_for("ghosts along x", air.nz, KOKKOS_LAMBDA(long k) {
        for (int v = 0; v < variables; ++v) {
            q[v](k + 2, 0) = q[v](k + 2, nx);
            q[v](k + 2, 1) = q[v](k + 2, nx + 1);
            q[v](k + 2, nx + 2) = q[v](k + 2, 2);
            q[v](k + 2, nx + 3) = q[v](k + 2, 3);
        }
    });
}

void ghosts_z(const Air &air, const Fields &q) {
    const long nz = air.nz;
    const auto density = air.density;
    Kokkos::parallel_for("ghosts along z", air.nx + 4, KOKKOS_LAMBDA(long i) {
        for (int v = 0; v < variables; ++v)
            for (long ghost = 0; ghost < 2; ++ghost) {
                const long high = nz + 2 + ghost;
                const double low_factor = v == 2 ? 0.0 : v == 1 ? density(ghost) / density(2) : 1.0;
                const double high_factor = v == 2 ? 0.0 : v == 1 ? density(high) / density(nz + 1) : 1.0;
                q[v](ghost, i) = low_factor * q[v](2, i);
                q[v](high, i) = high_factor * q[v](nz + 1, i);
            }
    });
}

void tendencies_x(const Air &air, const Fields &q, double step) {
    const double damping = 0.05 * air.dx / (16.0 * step), dx = air.dx;
    const auto density = air.density, heat = air.heat;
    const auto flux = air.flux, tendency = air.tendency;
    Kokkos::parallel_for("fluxes along x", Box({0, 0}, {air.nz, air.nx + 1}), KOKKOS_LAMBDA(long k, long i) {
        double at_face[variables], change[variables];
        for (int v = 0; v < variables; ++v) {
            const double a = q[v](k + 2, i), b = q[v](k + 2, i + 1), c = q[v](k + 2, i + 2), d = q[v](k + 2, i + 3);
            at_face[v] = value(a, b, c, d);
            change[v] = third(a, b, c, d);
        }
        const double r = at_face[0] + density(k + 2), u = at_face[1] / r, w = at_face[2] / r;
        const double t = (at_face[3] + heat(k + 2)) / r, p = factor * Kokkos::pow(r * t, exponent);
        flux[0](k, i) = r * u + damping * change[0];
        flux[1](k, i) = r * u * u + p + damping * change[1];
        flux[2](k, i) = r * u * w + damping * change[2];
        flux[3](k, i) = r * u * t + damping * change[3];
    });
    Kokkos::parallel_for("tendencies along x", Box({0, 0}, {air.nz, air.nx}), KOKKOS_LAMBDA(long k, long i) {
        for (int v = 0; v < variables; ++v)
            tendency[v](k, i) = (flux[v](k, i) - flux[v](k, i + 1)) / dx;
    });
}

void tendencies_z(const Air &air, const Fields &q, double step) {
    const double damping = 0.05 * air.dz / (16.0 * step), dz = air.dz;
    const auto density = air.density_at_face, heat = air.heat_at_face, pressure = air.pressure_at_face;
    const auto flux = air.flux, tendency = air.tendency;
    const long nz = air.nz;
    Kokkos::parallel_for("fluxes along z", Box({0, 0}, {air.nz + 1, air.nx}), KOKKOS_LAMBDA(long k, long i) {
        const double open = k == 0 || k == nz ? 0.0 : 1.0;
        double at_face[variables], change[variables];
        for (int v = 0; v < variables; ++v) {
            const double a = q[v](k, i + 2), b = q[v](k + 1, i + 2), c = q[v](k + 2, i + 2), d = q[v](k + 3, i + 2);
            at_face[v] = value(a, b, c, d);
            change[v] = third(a, b, c, d);
        }
        const double r = at_face[0] + density(k), u = at_face[1] / r, w = open * at_face[2] / r;
        const double t = (at_face[3] + heat(k)) / r, p = factor * Kokkos::pow(r * t, exponent) - pressure(k);
        flux[0](k, i) = r * w + open * damping * change[0];
        flux[1](k, i) = r * w * u + damping * change[1];
        flux[2](k, i) = r * w * w + p + damping * change[2];
        flux[3](k, i) = r * w * t + damping * change[3];
    });
    Kokkos::parallel_for("tendencies along z", Box({0, 0}, {air.nz, air.nx}), KOKKOS_LAMBDA(long k, long i) {
        for (int v = 0; v < variables; ++v) {
            const double weight = v == 2 ? gravity : 0.0;
            tendency[v](k, i) = (flux[v](k, i) - flux[v](k + 1, i)) / dz - weight * q[0](k + 2, i + 2);
        }
    });
}

void stage(const Air &air, bool along_x, const Fields &from, const Fields &to, double step) {
    if (along_x) {
        ghosts_x(air, from);
        tendencies_x(air, from, step);
    } else {
        ghosts_z(air, from);
        tendencies_z(air, from, step);
    }
    const auto state = air.state, tendency = air.tendency;
    Kokkos::parallel_for("stage", Box({0, 0}, {air.nz, air.nx}), KOKKOS_LAMBDA(long k, long i) {
        for (int v = 0; v < variables; ++v)
            to[v](k + 2, i + 2) = state[v](k + 2, i + 2) + step * tendency[v](k, i);
    });
}

} // namespace

extern "C" void mini_weather(void *const *arrays, const long *numbers) {
    Air air;
    air.nx = numbers[0];
    air.nz = numbers[1];
    air.dx = 2e4 / air.nx;
    air.dz = 1e4 / air.nz;
    const auto field = [&](int number, long rows, long columns) {
        return Array<double **>(static_cast<double *>(arrays[number]), rows, columns);
    };
    for (int v = 0; v < variables; ++v) {
        air.state[v] = field(v, air.nz + 4, air.nx + 4);
        air.stage[v] = field(4 + v, air.nz + 4, air.nx + 4);
        air.flux[v] = field(8 + v, air.nz + 1, air.nx + 1);
        air.tendency[v] = field(12 + v, air.nz, air.nx);
    }
    const auto column = [&](int number, long rows) {
        return Array<const double *>(static_cast<const double *>(arrays[number]), rows);
    };
    air.density = column(16, air.nz + 4);
    air.heat = column(17, air.nz + 4);
    air.density_at_face = column(18, air.nz + 1);
    air.heat_at_face = column(19, air.nz + 1);
    air.pressure_at_face = column(20, air.nz + 1);
    const double step = 1.5 * Kokkos::fmin(air.dx, air.dz) / 450.0;
    for (int axis = 0; axis < 2; ++axis) {
        const bool along_x = axis == 0;
        stage(air, along_x, air.state, air.stage, step / 3.0);
        stage(air, along_x, air.stage, air.stage, step / 2.0);
        stage(air, along_x, air.stage, air.state, step);
    }
}
