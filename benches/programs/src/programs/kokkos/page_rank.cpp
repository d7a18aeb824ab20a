// page-rank: the shares of all pages, and then their sums.

extern "C" void page_rank(void *const *arrays, const long *numbers) {
    const long pages = numbers[0];
    const Array<const long *> offsets(static_cast<const long *>(arrays[0]), pages + 1);
    const Array<const unsigned *> sources(static_cast<const unsigned *>(arrays[1]), offsets(pages));
    const Array<const unsigned *> leaving(static_cast<const unsigned *>(arrays[2]), pages);
    const Array<float *> rank(static_cast<float *>(arrays[3]), pages), shared(static_cast<float *>(arrays[4]), pages);
    const float rest = (1.0f - 0.85f) / pages;
    Kokkos::parallel_for("share", pages,
        KOKKOS_LAMBDA(long page) { shared(page) = rank(page) / (leaving(page) > 0 ? leaving(page) : 1); });
    float change = 0.0f;
    Kokkos::parallel_reduce("page-rank", pages,
        KOKKOS_LAMBDA(long page, float &largest) {
            float sum = 0.0f;
            for (long link = offsets(page); link < offsets(page + 1); ++link)
                sum += shared(sources(link));
            const float before = rank(page);
            rank(page) = rest + 0.85f * sum;
            const float difference = Kokkos::fabs(rank(page) - before);
            largest = difference > largest ? difference : largest;
        },
        Kokkos::Max<float>(change));
    // Where Spelt's would be returned.
    static volatile float kept;
    kept = change;
}
