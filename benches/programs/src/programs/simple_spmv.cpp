// simpleSpmv: matrices times vectors.

extern "C" void sparse(void *const *arrays, const long *numbers) {
    const long *__restrict offsets = static_cast<const long *>(arrays[0]);
    const unsigned *__restrict columns = static_cast<const unsigned *>(arrays[1]);
    const float *__restrict values = static_cast<const float *>(arrays[2]);
    const float *__restrict x = static_cast<const float *>(arrays[3]);
    float *__restrict y = static_cast<float *>(arrays[4]);
#pragma omp parallel for schedule(static)
    for (long row = 0; row < numbers[0]; ++row) {
        float sum = 0.0f;
        for (long entry = offsets[row]; entry < offsets[row + 1]; ++entry)
            sum += values[entry] * x[columns[entry]];
        y[row] = sum;
    }
}

extern "C" void dense(void *const *arrays, const long *numbers) {
    const float *__restrict matrix = static_cast<const float *>(arrays[0]);
    const float *__restrict x = static_cast<const float *>(arrays[1]);
    float *__restrict y = static_cast<float *>(arrays[2]);
    const long n = numbers[0];
#pragma omp parallel for schedule(static)
    for (long row = 0; row < n; ++row) {
        float sum = 0.0f;
        for (long column = 0; column < n; ++column)
            sum += matrix[row * n + column] * x[column];
        y[row] = sum;
    }
}
