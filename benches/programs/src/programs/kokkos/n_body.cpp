// n-body: an iteration for each body.

namespace {

struct Body {
    float x, y, z, mass;
};

} // namespace

extern "C" void n_body(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const Body *> bodies(static_cast<const Body *>(arrays[0]), n);
    const Array<float *[3]> acceleration(static_cast<float *>(arrays[1]), n);
    Kokkos::parallel_for("n-body", n, KOKKOS_LAMBDA(long i) {
        float x = 0.0f, y = 0.0f, z = 0.0f;
        for (long j = 0; j < n; ++j) {
            const float dx = bodies(j).x - bodies(i).x, dy = bodies(j).y - bodies(i).y, dz = bodies(j).z - bodies(i).z;
            const float inverse = 1.0f / Kokkos::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float pull = bodies(j).mass * inverse * inverse * inverse;
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }
        acceleration(i, 0) = x;
        acceleration(i, 1) = y;
        acceleration(i, 2) = z;
    });
}
