// stencil3d, over a box of inner cells.

namespace {

// The flux through the face below the cell `at`: `far` is the stride across the face, `first` and `second` those along it.
KOKKOS_INLINE_FUNCTION double flux(const Array<const double *> &v, const Array<const double *> &a, const Array<const double *> &b,
    const Array<const double *> &c, long at, long far, long first, long second) {
    const auto across = [&](long aside) {
        return 0.25 * (v(at - far + aside) - v(at - far - aside) + v(at + aside) - v(at - aside));
    };
    return a(at) * (v(at) - v(at - far)) + b(at) * across(first) + c(at) * across(second);
}

} // namespace

extern "C" void stencil3d(void *const *arrays, const long *numbers) {
    const long n = numbers[0], cells = n * n * n, x = n * n, y = n, z = 1;
    const Array<const double *> v(static_cast<const double *>(arrays[0]), cells);
    const Array<double *> next(static_cast<double *>(arrays[1]), cells);
    Kokkos::Array<Array<const double *>, 9> c;
    for (int part = 0; part < 9; ++part)
        c[part] = Array<const double *>(static_cast<const double *>(arrays[2 + part]), cells);
    Kokkos::parallel_for("stencil3d", Kokkos::MDRangePolicy<Kokkos::Rank<3>>({1, 1, 1}, {n - 1, n - 1, n - 1}),
        KOKKOS_LAMBDA(long i, long j, long k) {
            const long at = (i * n + j) * n + k;
            next(at) = flux(v, c[0], c[1], c[2], at + x, x, y, z) - flux(v, c[0], c[1], c[2], at, x, y, z)
                + flux(v, c[3], c[4], c[5], at + y, y, z, x) - flux(v, c[3], c[4], c[5], at, y, z, x)
                + flux(v, c[6], c[7], c[8], at + z, z, x, y) - flux(v, c[6], c[7], c[8], at, z, x, y);
        });
}
