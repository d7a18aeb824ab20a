// miniWeather: a time step, along x and then along z.

#include <cmath>

namespace {

constexpr int variables = 4;
constexpr double exponent = 1.400278940027894, factor = 27.562941092972593, gravity = 9.8;

struct Air {
    double *state[variables], *stage[variables], *flux[variables], *tendency[variables];
    const double *density, *heat, *density_at_face, *heat_at_face, *pressure_at_face;
    long nx, nz;
    double dx, dz;
};

inline double value(const double *q, long far) {
    return 7.0 / 12.0 * (q[-far] + q[0]) - 1.0 / 12.0 * (q[-2 * far] + q[far]);
}

inline double third(const double *q, long far) {
    return q[far] - q[-2 * far] + 3.0 * (q[-far] - q[0]);
}

void ghosts_x(const Air &air, double *const *q) {
    const long row = air.nx + 4;
#pragma omp parallel for schedule(static)
    for (long k = 0; k < air.nz; ++k)
        for (int v = 0; v < variables; ++v) {
            double *r = q[v] + (k + 2) * row;
            r[0] = r[air.nx];
            r[1] = r[air.nx + 1];
            r[air.nx + 2] = r[2];
            r[air.nx + 3] = r[3];
        }
}

void ghosts_z(const Air &air, double *const *q) {
    const long row = air.nx + 4, nz = air.nz;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < row; ++i)
        for (int v = 0; v < variables; ++v)
            for (long ghost = 0; ghost < 2; ++ghost) {
                const long high = nz + 2 + ghost;
                const double low_factor = v == 2 ? 0.0 : v == 1 ? air.density[ghost] / air.density[2] : 1.0;
                const double high_factor = v == 2 ? 0.0 : v == 1 ? air.density[high] / air.density[nz + 1] : 1.0;
                q[v][ghost * row + i] = low_factor * q[v][2 * row + i];
                q[v][high * row + i] = high_factor * q[v][(nz + 1) * row + i];
            }
}

void tendencies_x(const Air &air, double *const *q, double step) {
    const long row = air.nx + 4, faces = air.nx + 1;
    const double damping = 0.05 * air.dx / (16.0 * step);
#pragma omp parallel for schedule(static)
    for (long k = 0; k < air.nz; ++k) {
        double *__restrict f0 = air.flux[0] + k * faces, *__restrict f1 = air.flux[1] + k * faces;
        double *__restrict f2 = air.flux[2] + k * faces, *__restrict f3 = air.flux[3] + k * faces;
        const double *q0 = q[0] + (k + 2) * row + 2, *q1 = q[1] + (k + 2) * row + 2;
        const double *q2 = q[2] + (k + 2) * row + 2, *q3 = q[3] + (k + 2) * row + 2;
        for (long i = 0; i < faces; ++i) {
            const double r = value(q0 + i, 1) + air.density[k + 2];
            const double u = value(q1 + i, 1) / r, w = value(q2 + i, 1) / r;
            const double t = (value(q3 + i, 1) + air.heat[k + 2]) / r;
            const double p = factor * std::pow(r * t, exponent);
            f0[i] = r * u + damping * third(q0 + i, 1);
            f1[i] = r * u * u + p + damping * third(q1 + i, 1);
            f2[i] = r * u * w + damping * third(q2 + i, 1);
            f3[i] = r * u * t + damping * third(q3 + i, 1);
        }
    }
#pragma omp parallel for schedule(static)
    for (long k = 0; k < air.nz; ++k)
        for (int v = 0; v < variables; ++v) {
            const double *f = air.flux[v] + k * faces;
            double *__restrict t = air.tendency[v] + k * air.nx;
            for (long i = 0; i < air.nx; ++i)
                t[i] = (f[i] - f[i + 1]) / air.dx;
        }
}

void tendencies_z(const Air &air, double *const *q, double step) {
    const long row = air.nx + 4, faces = air.nx + 1;
    const double damping = 0.05 * air.dz / (16.0 * step);
#pragma omp parallel for schedule(static)
    for (long k = 0; k < air.nz + 1; ++k) {
        double *__restrict f0 = air.flux[0] + k * faces, *__restrict f1 = air.flux[1] + k * faces;
        double *__restrict f2 = air.flux[2] + k * faces, *__restrict f3 = air.flux[3] + k * faces;
        const double *q0 = q[0] + (k + 2) * row + 2, *q1 = q[1] + (k + 2) * row + 2;
        const double *q2 = q[2] + (k + 2) * row + 2, *q3 = q[3] + (k + 2) * row + 2;
        const double open = k == 0 || k == air.nz ? 0.0 : 1.0;
        for (long i = 0; i < air.nx; ++i) {
            const double r = value(q0 + i, row) + air.density_at_face[k];
            const double u = value(q1 + i, row) / r, w = open * value(q2 + i, row) / r;
            const double t = (value(q3 + i, row) + air.heat_at_face[k]) / r;
            const double p = factor * std::pow(r * t, exponent) - air.pressure_at_face[k];
            f0[i] = r * w + open * damping * third(q0 + i, row);
            f1[i] = r * w * u + damping * third(q1 + i, row);
            f2[i] = r * w * w + p + damping * third(q2 + i, row);
            f3[i] = r * w * t + damping * third(q3 + i, row);
        }
    }
#pragma omp parallel for schedule(static)
    for (long k = 0; k < air.nz; ++k)
        for (int v = 0; v < variables; ++v) {
            const double *f = air.flux[v] + k * faces, *density = q[0] + (k + 2) * row + 2;
            double *__restrict t = air.tendency[v] + k * air.nx;
            const double weight = v == 2 ? gravity : 0.0;
            for (long i = 0; i < air.nx; ++i)
                t[i] = (f[i] - f[i + faces]) / air.dz - weight * density[i];
        }
}

void stage(const Air &air, bool along_x, double *const *from, double *const *to, double step) {
    if (along_x) {
        ghosts_x(air, from);
        tendencies_x(air, from, step);
    } else {
        ghosts_z(air, from);
        tendencies_z(air, from, step);
    }
    const long row = air.nx + 4;
#pragma omp parallel for schedule(static)
    for (long k = 0; k < air.nz; ++k)
        for (int v = 0; v < variables; ++v) {
            const double *start = air.state[v] + (k + 2) * row + 2, *t = air.tendency[v] + k * air.nx;
            double *end = to[v] + (k + 2) * row + 2;
            for (long i = 0; i < air.nx; ++i)
                end[i] = start[i] + step * t[i];
        }
}

} // namespace

extern "C" void mini_weather(void *const *arrays, const long *numbers) {
    double *const *a = reinterpret_cast<double *const *>(arrays);
    Air air = {{a[0], a[1], a[2], a[3]}, {a[4], a[5], a[6], a[7]}, {a[8], a[9], a[10], a[11]}, {a[12], a[13], a[14], a[15]},
        a[16], a[17], a[18], a[19], a[20], numbers[0], numbers[1], 2e4 / numbers[0], 1e4 / numbers[1]};
    const double step = 1.5 * std::fmin(air.dx, air.dz) / 450.0;
    for (int axis = 0; axis < 2; ++axis) {
        const bool along_x = axis == 0;
        stage(air, along_x, air.state, air.stage, step / 3.0);
        stage(air, along_x, air.stage, air.stage, step / 2.0);
        stage(air, along_x, air.stage, air.state, step);
    }
}
