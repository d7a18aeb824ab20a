// mandelbrot: rows in the order in which threads come for them.

extern "C" void mandelbrot(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<unsigned **> steps(static_cast<unsigned *>(arrays[0]), n, n);
    Kokkos::parallel_for("mandelbrot", Kokkos::RangePolicy<Kokkos::Schedule<Kokkos::Dynamic>>(0, n), KOKKOS_LAMBDA(long i) {
        for (long j = 0; j < n; ++j) {
            const float a = 3.0f * j / n - 1.5f - 0.5f, b = 3.0f * i / n - 1.5f;
            float x = 0.0f, y = 0.0f;
            unsigned step = 0;
            while (step < 256 && x * x + y * y <= 4.0f) {
                const float next = x * x - y * y + a;
                y = 2.0f * x * y + b;
                x = next;
                ++step;
            }
            steps(i, j) = step;
        }
    });
}
