// CUB and a copy kernel, timed as `device_counts --times` times Spelt: batches of calls with a fence after each.
//
//   peers [--cases NAME,..] [--sizes 1e3,..] [--rounds 21]
//   peers --list
//
// Prints a row of the same table for each case and size. Every result is compared with the host's where there are at most
// 10^6 elements; a wrong one is reported as an error, and the other cases continue.
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// How long a batch should take. Unit: seconds. As in times.rs.
constexpr double BATCH = 2e-3;
constexpr double MAX_CALLS = 10'000;
// The most calls whose time on the host is taken, and the most batches that these are. As in times.rs.
constexpr int TIMED_CALLS = 100, CALL_BATCHES = 10;
constexpr size_t MAX_CHECKED = 1'000'000;
constexpr size_t SEGMENT = 100;
constexpr int BINS = 256;

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": CUDA error " + std::to_string((int)error));
}

template <class T>
class Buffer {
public:
    explicit Buffer(size_t n) : n(n) { check(cudaMalloc((void**)&pointer, std::max<size_t>(1, n * sizeof(T))), "allocating"); }
    explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
        check(cudaMemcpy(pointer, values.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copying to the device");
    }
    Buffer(const Buffer&) = delete;
    ~Buffer() { cudaFree(pointer); }
    T* get() const { return pointer; }
    std::vector<T> host() const {
        std::vector<T> values(n);
        check(cudaMemcpy(values.data(), pointer, n * sizeof(T), cudaMemcpyDeviceToHost), "copying to the host");
        return values;
    }

private:
    size_t n;
    T* pointer = nullptr;
};

template <class T>
std::shared_ptr<Buffer<T>> empty(size_t n) {
    return std::make_shared<Buffer<T>>(n);
}

// The numbers that the kernels of Spelt work on.
double rough(size_t i) { return (double)(i * 7919 % 10'007) / 97.0 - 31.0; }
uint64_t mixed(size_t i) {
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

template <class T>
std::vector<T> made(size_t n, T of(size_t)) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; i++) values[i] = of(i);
    return values;
}

template <class T>
std::shared_ptr<Buffer<T>> on_device(const std::vector<T>& values) {
    return std::make_shared<Buffer<T>>(values);
}

// A call that is ready to be made.
struct Case {
    size_t elements, bytes;
    std::function<void()> call;
    std::function<bool()> right = [] { return true; };
};

// A call of CUB with its temporary memory, allocated once.
template <class Call>
std::function<void()> cub_call(Call call) {
    size_t bytes = 0;
    check(call(nullptr, bytes), "asking for temporary memory");
    auto memory = empty<char>(bytes + 1);
    return [=]() mutable { check(call(memory->get(), bytes), "calling CUB"); };
}

bool near(double found, double wanted, double scale, double epsilon) { return std::abs(found - wanted) <= epsilon * scale; }

__global__ void nothing() {}

__global__ void __launch_bounds__(256) copy_kernel(const double2* from, double2* to, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

std::function<void()> copy_of(size_t bytes, const std::shared_ptr<Buffer<double2>>& from, const std::shared_ptr<Buffer<double2>>& to) {
    size_t n = std::max<size_t>(1, bytes / sizeof(double2));
    return [=] {
        copy_kernel<<<(unsigned)((n + 255) / 256), 256>>>(from->get(), to->get(), n);
        check(cudaGetLastError(), "launching the copy");
    };
}

Case launch(size_t) {
    return {1, 0, [] {
                nothing<<<1, 1>>>();
                check(cudaGetLastError(), "launching nothing");
            }};
}

Case copy(size_t n) {
    auto values = made<double>(n + n % 2, rough);
    auto from = empty<double2>(values.size() / 2), to = empty<double2>(values.size() / 2);
    check(cudaMemcpy(from->get(), values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice), "copying to the device");
    return {n, 16 * n, copy_of(values.size() * sizeof(double), from, to), [=] {
                auto found = to->host();
                return memcmp(found.data(), values.data(), values.size() * sizeof(double)) == 0;
            }};
}

template <class T>
T rough_as(size_t i) {
    return (T)rough(i);
}

template <class T>
Case sum(size_t n) {
    auto values = made<T>(n, rough_as<T>);
    auto x = on_device(values);
    auto out = empty<T>(1);
    return {n, sizeof(T) * n, cub_call([=](void* memory, size_t& bytes) { return cub::DeviceReduce::Sum(memory, bytes, x->get(), out->get(), n); }),
            [=] {
                double wanted = 0, scale = 0;
                for (T value : values) wanted += value, scale += std::abs((double)value);
                return near(out->host()[0], wanted, scale, sizeof(T) == 8 ? 1e-13 : 1e-5);
            }};
}

struct Product {
    const double *x, *w;
    __host__ __device__ double operator()(size_t i) const { return x[i] * w[i]; }
};

Case dot(size_t n) {
    auto first = made<double>(n, rough), second = made<double>(n, [](size_t i) { return rough(i + 5); });
    auto x = on_device(first), w = on_device(second);
    auto out = empty<double>(1);
    return {n, 16 * n, cub_call([=](void* memory, size_t& bytes) {
                return cub::DeviceReduce::TransformReduce(memory, bytes, thrust::counting_iterator<size_t>(0), out->get(), n,
                                                          ::cuda::std::plus<>{}, Product{x->get(), w->get()}, 0.0);
            }),
            [=] {
                double wanted = 0, scale = 0;
                for (size_t i = 0; i < n; i++) wanted += first[i] * second[i], scale += std::abs(first[i] * second[i]);
                return near(out->host()[0], wanted, scale, 1e-13);
            }};
}

Case least(size_t n) {
    auto values = made<double>(n, rough);
    auto x = on_device(values);
    auto out = empty<double>(1);
    return {n, 8 * n, cub_call([=](void* memory, size_t& bytes) { return cub::DeviceReduce::Min(memory, bytes, x->get(), out->get(), n); }),
            [=] { return out->host()[0] == *std::min_element(values.begin(), values.end()); }};
}

template <class T>
Case scan(size_t n, T of(size_t)) {
    auto values = made<T>(n, of);
    auto x = on_device(values);
    auto y = empty<T>(n);
    return {n, 2 * sizeof(T) * n, cub_call([=](void* memory, size_t& bytes) { return cub::DeviceScan::InclusiveSum(memory, bytes, x->get(), y->get(), n); }),
            [=] {
                auto found = y->host();
                double running = 0, scale = 0;
                for (size_t i = 0; i < n; i++) {
                    running += (double)values[i], scale += std::abs((double)values[i]);
                    if (!near((double)found[i], running, scale, 1e-13)) return false;
                }
                return true;
            }};
}

template <class K>
K key(size_t i) {
    return (K)mixed(i);
}

template <class K>
Case sort(size_t n) {
    auto values = made<K>(n, key<K>);
    auto in = on_device(values);
    auto out = empty<K>(n);
    return {n, 2 * sizeof(K) * n, cub_call([=](void* memory, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(memory, bytes, in->get(), out->get(), n); }),
            [=] {
                auto wanted = values;
                std::sort(wanted.begin(), wanted.end());
                return out->host() == wanted;
            }};
}

Case sort_by_key(size_t n) {
    auto keys = made<uint32_t>(n, key<uint32_t>), places = made<uint32_t>(n, [](size_t i) { return (uint32_t)i; });
    auto in = on_device(keys), values_in = on_device(places);
    auto out = empty<uint32_t>(n), values_out = empty<uint32_t>(n);
    return {n, 16 * n, cub_call([=](void* memory, size_t& bytes) {
                return cub::DeviceRadixSort::SortPairs(memory, bytes, in->get(), out->get(), values_in->get(), values_out->get(), n);
            }),
            [=] {
                auto wanted = places;
                std::stable_sort(wanted.begin(), wanted.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
                return values_out->host() == wanted;
            }};
}

Case histogram(size_t n) {
    auto samples = made<uint32_t>(n, [](size_t i) { return (uint32_t)(mixed(i) % BINS); });
    auto x = on_device(samples);
    auto counts = empty<uint32_t>(BINS);
    return {n, 4 * n, cub_call([=](void* memory, size_t& bytes) {
                return cub::DeviceHistogram::HistogramEven(memory, bytes, x->get(), counts->get(), BINS + 1, 0u, (unsigned)BINS, (int)n);
            }),
            [=] {
                std::vector<uint32_t> wanted(BINS);
                for (uint32_t sample : samples) wanted[sample]++;
                return counts->host() == wanted;
            }};
}

Case segments(size_t n) {
    size_t count = (n + SEGMENT - 1) / SEGMENT;
    auto values = made<double>(n, rough);
    std::vector<uint64_t> ends(count + 1);
    for (size_t s = 0; s <= count; s++) ends[s] = std::min(n, s * SEGMENT);
    auto x = on_device(values);
    auto offsets = on_device(ends);
    auto out = empty<double>(count);
    return {n, 8 * (n + 2 * count + 1), cub_call([=](void* memory, size_t& bytes) {
                return cub::DeviceSegmentedReduce::Sum(memory, bytes, x->get(), out->get(), (int)count, offsets->get(), offsets->get() + 1);
            }),
            [=] {
                auto found = out->host();
                for (size_t s = 0; s < count; s++) {
                    double wanted = 0, scale = 0;
                    for (size_t i = ends[s]; i < ends[s + 1]; i++) wanted += values[i], scale += std::abs(values[i]);
                    if (!near(found[s], wanted, scale, 1e-13)) return false;
                }
                return true;
            }};
}

struct Named {
    const char* name;
    std::function<Case(size_t)> make;
};

// The names of `device_counts`.
const std::vector<Named> CASES = {
    {"empty launch", launch},
    {"copy f64", copy},
    {"sum f64", sum<double>},
    {"sum f32", sum<float>},
    {"dot f64", dot},
    {"min f64", least},
    {"scan i64", [](size_t n) { return scan<int64_t>(n, [](size_t i) { return (int64_t)(i * 7919 % 10'007) - 5000; }); }},
    {"scan f64", [](size_t n) { return scan<double>(n, rough); }},
    {"sort u32", sort<uint32_t>},
    {"sort i64", sort<int64_t>},
    {"sort by key u32", sort_by_key},
    {"histogram of 256", histogram},
    {"segments of 100 f64", segments},
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void fence() { check(cudaDeviceSynchronize(), "waiting for the device"); }

// The mean time of `calls` calls, with that of their work if it `waits`.
double batch(const std::function<void()>& call, int calls, bool waits) {
    double start = now();
    for (int i = 0; i < calls; i++) call();
    double called = now();
    fence();
    return ((waits ? now() : called) - start) / calls;
}

int calls_of(double one) { return (int)std::clamp(std::ceil(BATCH / std::max(one, 1e-9)), 1.0, MAX_CALLS); }

struct Spread {
    double low, median, high;
};

Spread spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    auto at = [&](double part) {
        double place = part * (double)(values.size() - 1);
        double below = values[(size_t)place], above = values[(size_t)std::ceil(place)];
        return below + (above - below) * (place - std::floor(place));
    };
    return {at(0.25), at(0.5), at(0.75)};
}

void row(const Named& named, size_t n, int rounds) {
    Case what = named.make(n);
    what.call();
    fence();
    if (n <= MAX_CHECKED && !what.right()) throw std::runtime_error("the result is WRONG");
    // Reads and writes as many bytes, half of them each.
    size_t pairs = std::max<size_t>(1, what.bytes / 2 / sizeof(double2));
    auto copy = copy_of(what.bytes / 2, empty<double2>(pairs), empty<double2>(pairs));
    batch(copy, 2, true);
    int calls = calls_of(batch(what.call, 3, true)), copies = calls_of(batch(copy, 3, true));
    std::vector<double> times, copied, ratios, alone, called;
    for (int i = 0; i < rounds; i++) {
        double time = batch(what.call, calls, true);
        double as_large = batch(copy, copies, true);
        alone.push_back(batch(what.call, 1, true));
        called.push_back(batch(what.call, std::min(TIMED_CALLS, CALL_BATCHES * calls), false));
        times.push_back(time);
        copied.push_back(as_large);
        ratios.push_back(as_large / time);
    }
    Spread time = spread(times), as_large = spread(copied), ratio = spread(ratios);
    auto gigabytes = [&](double seconds) { return (double)what.bytes / seconds / 1e9; };
    printf("| %s | %zu | %.2f | %.1f | %.2f | %.1f | **%.2f** (%.2f to %.2f) | %.2f | %.2f |\n", named.name, what.elements, 1e6 * time.median,
           gigabytes(time.median), 1e6 * as_large.median, gigabytes(as_large.median), ratio.median, ratio.low, ratio.high,
           1e6 * spread(alone).median, 1e6 * spread(called).median);
    fflush(stdout);
}

std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    for (size_t start = 0; start <= text.size();) {
        size_t end = std::min(text.find(',', start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

}  // namespace

int main(int count, char** words) {
    std::vector<std::string> wanted, sizes = {"1e3", "1e4", "1e5", "1e6", "1e7", "1e8"};
    int rounds = 21;
    if (count == 2 && strcmp(words[1], "--list") == 0) {
        for (const Named& named : CASES) printf("%s\n", named.name);
        return 0;
    }
    for (int i = 1; i < count; i += 2) {
        std::string name = words[i], value = i + 1 < count ? words[i + 1] : "";
        if (name == "--cases" && !value.empty()) {
            wanted = parts_of(value);
        } else if (name == "--sizes" && !value.empty()) {
            sizes = parts_of(value);
        } else if (name == "--rounds" && atoi(value.c_str()) > 0) {
            rounds = atoi(value.c_str());
        } else {
            fprintf(stderr, "usage: peers [--cases NAME,..] [--sizes 1e3,..] [--rounds 21]\n");
            return 2;
        }
    }
    printf("| CUB | n | a call, us | GB/s | a copy as large, us | GB/s | of the copy's bandwidth | a call and a fence, us | a call on the host, us |\n");
    printf("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    int failures = 0, rows = 0;
    for (const Named& named : CASES) {
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), named.name) == wanted.end()) continue;
        for (const std::string& size : sizes) {
            size_t n = (size_t)strtod(size.c_str(), nullptr);
            // It has no size.
            if (strcmp(named.name, "empty launch") == 0 && size != sizes.front()) continue;
            rows++;
            try {
                row(named, n, rounds);
            } catch (const std::exception& error) {
                fprintf(stderr, "error: %s of %zu: %s\n", named.name, n, error.what());
                failures++;
            }
        }
    }
    if (rows == 0) fprintf(stderr, "error: no such case\n");
    return failures > 0 || rows == 0;
}
