// channelSum: the sum and the sum of squares of each channel.

extern "C" void channel_sum(void *const *arrays, const long *numbers) {
    const float *__restrict x = static_cast<const float *>(arrays[0]);
    float *__restrict sums = static_cast<float *>(arrays[1]);
    const long images = numbers[0], channels = numbers[1], pixels = numbers[2];
    if (!numbers[3]) {
#pragma omp parallel for schedule(static)
        for (long c = 0; c < channels; ++c) {
            float sum = 0.0f, squares = 0.0f;
            for (long image = 0; image < images; ++image) {
                const float *plane = x + (image * channels + c) * pixels;
                for (long pixel = 0; pixel < pixels; ++pixel) {
                    sum += plane[pixel];
                    squares += plane[pixel] * plane[pixel];
                }
            }
            sums[2 * c] = sum;
            sums[2 * c + 1] = squares;
        }
        return;
    }
    float sum[256] = {}, squares[256] = {};
#pragma omp parallel for schedule(static) reduction(+ : sum, squares)
    for (long place = 0; place < images * pixels; ++place)
        for (long c = 0; c < channels; ++c) {
            const float value = x[place * channels + c];
            sum[c] += value;
            squares[c] += value * value;
        }
    for (long c = 0; c < channels; ++c) {
        sums[2 * c] = sum[c];
        sums[2 * c + 1] = squares[c];
    }
}
