// n-body: the accelerations by the gravity of all bodies.

#include <cmath>

namespace {

struct Body {
    float x, y, z, mass;
};

} // namespace

extern "C" void n_body(void *const *arrays, const long *numbers) {
    const Body *__restrict bodies = static_cast<const Body *>(arrays[0]);
    float *__restrict acceleration = static_cast<float *>(arrays[1]);
    const long n = numbers[0];
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) {
        float x = 0.0f, y = 0.0f, z = 0.0f;
        for (long j = 0; j < n; ++j) {
            const float dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
            const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float pull = bodies[j].mass * inverse * inverse * inverse;
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }
        acceleration[3 * i] = x;
        acceleration[3 * i + 1] = y;
        acceleration[3 * i + 2] = z;
    }
}
