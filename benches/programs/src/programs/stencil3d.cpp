// stencil3d: the divergence of an anisotropic flux.

namespace {

// The flux through the face below the cell `at`: `far` is the stride across the face, `first` and `second` those along it.
inline double flux(const double *v, const double *a, const double *b, const double *c, long at, long far, long first, long second) {
    const auto across = [&](long aside) {
        return 0.25 * (v[at - far + aside] - v[at - far - aside] + v[at + aside] - v[at - aside]);
    };
    return a[at] * (v[at] - v[at - far]) + b[at] * across(first) + c[at] * across(second);
}

} // namespace

extern "C" void stencil3d(void *const *arrays, const long *numbers) {
    const double *__restrict v = static_cast<const double *>(arrays[0]);
    double *__restrict next = static_cast<double *>(arrays[1]);
    const long n = numbers[0], x = n * n, y = n, z = 1;
    const double *c[9];
    for (int part = 0; part < 9; ++part)
        c[part] = static_cast<const double *>(arrays[2 + part]);
#pragma omp parallel for schedule(static)
    for (long i = 1; i < n - 1; ++i)
        for (long j = 1; j < n - 1; ++j)
            for (long k = 1; k < n - 1; ++k) {
                const long at = (i * n + j) * n + k;
                next[at] = flux(v, c[0], c[1], c[2], at + x, x, y, z) - flux(v, c[0], c[1], c[2], at, x, y, z)
                    + flux(v, c[3], c[4], c[5], at + y, y, z, x) - flux(v, c[3], c[4], c[5], at, y, z, x)
                    + flux(v, c[6], c[7], c[8], at + z, z, x, y) - flux(v, c[6], c[7], c[8], at, z, x, y);
            }
}
