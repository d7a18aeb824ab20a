// histogram, by a ScatterView.

#include <Kokkos_ScatterView.hpp>

extern "C" void histogram(void *const *arrays, const long *numbers) {
    const long n = numbers[0];
    const Array<const unsigned char *> pixels(static_cast<const unsigned char *>(arrays[0]), n);
    Kokkos::View<unsigned *> counts("counts", 256);
    const auto scatter = Kokkos::Experimental::create_scatter_view(counts);
    Kokkos::parallel_for("histogram", n, KOKKOS_LAMBDA(long i) {
        auto access = scatter.access();
        access(pixels(i)) += 1;
    });
    Kokkos::Experimental::contribute(counts, scatter);
    Kokkos::deep_copy(Array<unsigned *>(static_cast<unsigned *>(arrays[1]), 256), counts);
}
