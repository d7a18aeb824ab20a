// floydwarshall: the shortest ways between all nodes.

extern "C" void floydwarshall(void *const *arrays, const long *numbers) {
    unsigned *length = static_cast<unsigned *>(arrays[0]);
    unsigned *__restrict through = static_cast<unsigned *>(arrays[1]);
    const long n = numbers[0];
    for (long k = 0; k < n; ++k) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; ++i)
            for (long j = 0; j < n; ++j) {
                const unsigned way = length[i * n + k] + length[k * n + j];
                if (way < length[i * n + j]) {
                    length[i * n + j] = way;
                    through[i * n + j] = k;
                }
            }
    }
}
