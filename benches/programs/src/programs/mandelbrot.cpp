// mandelbrot: the steps after which each point escapes.

extern "C" void mandelbrot(void *const *arrays, const long *numbers) {
    unsigned *__restrict steps = static_cast<unsigned *>(arrays[0]);
    const long n = numbers[0];
#pragma omp parallel for schedule(dynamic, 8)
    for (long i = 0; i < n; ++i)
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
            steps[i * n + j] = step;
        }
}
