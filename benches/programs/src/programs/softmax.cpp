// softmax: the exponentials of each row over their sum.

#include <cmath>

extern "C" void softmax(void *const *arrays, const long *numbers) {
    const float *__restrict x = static_cast<const float *>(arrays[0]);
    float *__restrict y = static_cast<float *>(arrays[1]);
    const long rows = numbers[0], columns = numbers[1];
#pragma omp parallel for schedule(static)
    for (long i = 0; i < rows; ++i) {
        const float *row = x + i * columns;
        float *result = y + i * columns;
        float largest = row[0];
        for (long j = 1; j < columns; ++j)
            largest = row[j] > largest ? row[j] : largest;
        float sum = 0.0f;
        for (long j = 0; j < columns; ++j) {
            result[j] = std::exp(row[j] - largest);
            sum += result[j];
        }
        for (long j = 0; j < columns; ++j)
            result[j] /= sum;
    }
}
