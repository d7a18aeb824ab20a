// page-rank: each page adds what the pages that link to it share.

#include <cmath>

extern "C" void page_rank(void *const *arrays, const long *numbers) {
    const long *__restrict offsets = static_cast<const long *>(arrays[0]);
    const unsigned *__restrict sources = static_cast<const unsigned *>(arrays[1]);
    const unsigned *__restrict leaving = static_cast<const unsigned *>(arrays[2]);
    float *__restrict rank = static_cast<float *>(arrays[3]);
    float *__restrict shared = static_cast<float *>(arrays[4]);
    const long pages = numbers[0];
    const float rest = (1.0f - 0.85f) / pages;
    float change = 0.0f;
#pragma omp parallel for schedule(static)
    for (long page = 0; page < pages; ++page)
        shared[page] = rank[page] / (leaving[page] > 0 ? leaving[page] : 1);
#pragma omp parallel for schedule(static) reduction(max : change)
    for (long page = 0; page < pages; ++page) {
        float sum = 0.0f;
        for (long link = offsets[page]; link < offsets[page + 1]; ++link)
            sum += shared[sources[link]];
        const float before = rank[page];
        rank[page] = rest + 0.85f * sum;
        const float difference = std::fabs(rank[page] - before);
        change = difference > change ? difference : change;
    }
    // Where Spelt's would be returned.
    static volatile float kept;
    kept = change;
}
