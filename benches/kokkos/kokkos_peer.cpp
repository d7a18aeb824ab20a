// The Kokkos peer of Spelt's benchmark program: the same cases over the same numbers, timed in a process of its own.
//
// Build, with Kokkos_ROOT naming an installed Kokkos that was configured with -DCMAKE_BUILD_TYPE=Release
// -DKokkos_ENABLE_OPENMP=ON -DKokkos_ARCH_NATIVE=ON (tried with 4.6.01; version 5 wants -std=c++20; lib may be lib64):
//
//   g++ -std=c++20 -O3 -march=native -fopenmp -I"$Kokkos_ROOT/include" kokkos_peer.cpp -o kokkos_peer
//       -L"$Kokkos_ROOT/lib" -lkokkoscontainers -lkokkoscore -ldl
//
// Run, with a thread for each core:
//
//   OMP_NUM_THREADS=2 OMP_PROC_BIND=spread OMP_PLACES=threads GOMP_SPINCOUNT=30000 ./kokkos_peer
//
// The spin count is for whoever runs beside it: after an answer GCC's OpenMP threads go on spinning, 30000 rounds for
// about 0.3 ms, the default's for 4 ms, OMP_WAIT_POLICY=active for ever, all with the same figures for Kokkos
// (OMP_WAIT_POLICY=passive costs it 60 us a launch). So leave 5 ms between this peer and the next.
//
// Protocol: for each line of standard input one line of standard output.
//   CASE TYPE N CALLS   median nanoseconds of CALLS calls back to back, after a few untimed ones; TYPE is f32, f64 or
//                       i64. `unknown` for what is not below, `wrong` if the result is not that of a plain loop
//   threads             the number of threads that Kokkos uses
// Cases over N elements: dot sum min minloc minmaxloc scan triad axpy; and empty, one empty iteration for each thread.
// Over a square of floor(sqrt(N)) rows and columns: stencil (an md_range), stencil_rows, minmaxloc2d (teams).
// Over N rows of W, as in `rows8 f64 1000000 20`: rowsW rowsW_team (each row's sum), rows_sumW rows_sumW_team (of all).
// _team is a team for each row with a nested reduction, as the Kokkos guide teaches it; rowsW, rows_sumW and
// stencil_rows are a range over rows with a loop inside, which on host threads is Kokkos's fastest form.
// Those of containers.hpp.
#include <Kokkos_Core.hpp>

#include "containers.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

// As wide as the policy's own index. With the guide's int, GCC does not vectorise triad, axpy and stencil, and they and
// minmaxloc2d take twice as long; a local copy of x(i), in the loc cases, costs up to as much again.
using Index = std::size_t;
using Place = Kokkos::pair<Index, Index>;
using Member = Kokkos::TeamPolicy<>::member_type;
using Kokkos::parallel_for, Kokkos::parallel_reduce, Kokkos::parallel_scan;

// The guide takes a pair as the location of a nested MinMaxLoc, but Kokkos has no identity for one.
template <>
struct Kokkos::reduction_identity<Place> {
  KOKKOS_FUNCTION static Place min() { return {SIZE_MAX, SIZE_MAX}; }
};

namespace {

// Two inputs and an output of one length, kept for later requests; all cases of that length share them.
template <class T>
struct Arrays {
  Kokkos::View<const T*> x, w;
  Kokkos::View<T*> y;
};

struct Case {
  std::function<void()> call;
  std::function<bool()> right;  // of the latest call's result
};

// Untimed calls before the timed ones: since the last request the threads fell asleep and others used the cache.
constexpr int WARM_UP = 3;

// A Weyl sequence (Knuth 3, 6.4): the driver makes the same numbers in one line. Floats are 24 bits over 2^24, exact in
// every type; integers are 10 bits, so that no sum overflows.
template <class T>
KOKKOS_FUNCTION T element(std::uint64_t i) {
  const std::uint64_t bits = (i * 0x9E3779B97F4A7C15u) >> 40;
  return std::is_integral_v<T> ? T(bits >> 14) : T(bits) / T(1 << 24);
}

template <class T>
Arrays<T> arrays(Index n) {
  static std::map<Index, Arrays<T>> cache;
  // Views must not outlive Kokkos, as those in a static would.
  [[maybe_unused]] static const bool hooked = (Kokkos::push_finalize_hook([] { cache.clear(); }), true);
  if (const auto found = cache.find(n); found != cache.end()) return found->second;
  const auto untouched = Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("peer"));
  const Kokkos::View<T*> x(untouched, n), w(untouched, n), y(untouched, n);
  // The first touch of the pages, by the threads that will read them.
  parallel_for(n, KOKKOS_LAMBDA(const Index i) { x(i) = element<T>(i + 1), w(i) = element<T>(i + 77), y(i) = 0; });
  return cache[n] = {x, w, y};
}

// Within the worst case of n roundings of positive terms; for integers, equal.
template <class T>
bool near(T got, double want, Index n) {
  return std::abs(double(got) - want) <= std::abs(want) * double(n) * double(std::numeric_limits<T>::epsilon());
}

// Results lie on the heap, where the compiler cannot tell that nobody reads them between two calls.
template <class T>
Case flat_case(const std::string& name, Index n) {
  const auto data = arrays<T>(n);
  const auto x = data.x, w = data.w;
  const auto y = data.y;
  const auto out = std::make_shared<T>();
  const T* first = x.data();
  const auto low = [=](T v, Index at) { return x(at) == v && v == *std::min_element(first, first + n); };
  const auto high = [=](T v, Index at) { return x(at) == v && v == *std::max_element(first, first + n); };

  if (name == "dot")
    return {[=] { parallel_reduce("dot", n, KOKKOS_LAMBDA(const Index i, T& sum) { sum += x(i) * w(i); }, *out); },
            [=] { return near(*out, std::inner_product(first, first + n, w.data(), 0.0), 2 * n); }};
  if (name == "sum")
    return {[=] { parallel_reduce("sum", n, KOKKOS_LAMBDA(const Index i, T& sum) { sum += x(i); }, *out); },
            [=] { return near(*out, std::accumulate(first, first + n, 0.0), n); }};
  if (name == "min") {
    const auto body = KOKKOS_LAMBDA(const Index i, T& least) { if (x(i) < least) least = x(i); };
    return {[=] { parallel_reduce("min", n, body, Kokkos::Min<T>(*out)); },
            [=] { return *out == *std::min_element(first, first + n); }};
  }
  if (name == "minloc") {
    using Reducer = Kokkos::MinLoc<T, Index>;
    const auto best = std::make_shared<typename Reducer::value_type>();
    const auto body = KOKKOS_LAMBDA(const Index i, typename Reducer::value_type& least) {
      if (x(i) < least.val) { least.val = x(i); least.loc = i; }
    };
    return {[=] { parallel_reduce("minloc", n, body, Reducer(*best)); }, [=] { return low(best->val, best->loc); }};
  }
  if (name == "minmaxloc") {
    using Reducer = Kokkos::MinMaxLoc<T, Index>;
    const auto best = std::make_shared<typename Reducer::value_type>();
    const auto body = KOKKOS_LAMBDA(const Index i, typename Reducer::value_type& ends) {
      if (x(i) < ends.min_val) { ends.min_val = x(i); ends.min_loc = i; }
      if (x(i) > ends.max_val) { ends.max_val = x(i); ends.max_loc = i; }
    };
    return {[=] { parallel_reduce("minmaxloc", n, body, Reducer(*best)); },
            [=] { return low(best->min_val, best->min_loc) && high(best->max_val, best->max_loc); }};
  }
  if (name == "scan") {
    const auto body = KOKKOS_LAMBDA(const Index i, T& prefix, const bool last) {
      prefix += x(i);
      if (last) y(i) = prefix;
    };
    const auto right_at = [=](Index i) { return near(y(i), std::accumulate(first, first + i + 1, 0.0), n); };
    return {[=] { parallel_scan("scan", n, body, *out); },
            [=] { return right_at(n / 2) && right_at(n - 1) && y(n - 1) == *out; }};
  }
  if (name == "triad")
    return {[=] { parallel_for("triad", n, KOKKOS_LAMBDA(const Index i) { y(i) = x(i) + T(3) * w(i); }); },
            [=] { return near(y(n - 1), double(x(n - 1)) + 3 * double(w(n - 1)), 4); }};
  if (name == "axpy") {
    const auto call = [=] { parallel_for("axpy", n, KOKKOS_LAMBDA(const Index i) { y(i) += T(2) * x(i); }); };
    // y has grown by every call so far, so one more is compared.
    return {call, [=] { const T before = y(n - 1); call(); return y(n - 1) == before + T(2) * x(n - 1); }};
  }
  if (name == "empty")
    return {[cores = Kokkos::OpenMP().concurrency()] { parallel_for("empty", cores, KOKKOS_LAMBDA(const Index) {}); },
            [] { return true; }};
  return {};
}

// Two-dimensional Views over the memory of the flat cases.
template <class T>
Case square_case(const std::string& name, int side) {
  const auto data = arrays<T>(Index(side) * side);
  const Kokkos::View<const T**, Kokkos::LayoutRight> a(data.x.data(), side, side);
  const Kokkos::View<T**, Kokkos::LayoutRight> y(data.y.data(), side, side);
  const auto star = KOKKOS_LAMBDA(const std::int64_t i, const std::int64_t j) {
    y(i, j) = a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1) - T(4) * a(i, j);
  };
  const auto star_right = [=] {
    return std::abs(double(y(1, 1)) - double(a(0, 1) + a(2, 1) + a(1, 0) + a(1, 2) - T(4) * a(1, 1))) < 1e-5;
  };

  if (name == "stencil" && side > 2) {
    const Kokkos::MDRangePolicy<Kokkos::Rank<2>> inner({1, 1}, {side - 1, side - 1});
    return {[=] { parallel_for("stencil", inner, star); }, star_right};
  }
  if (name == "stencil_rows" && side > 2) {
    const auto body = KOKKOS_LAMBDA(const std::int64_t i) { for (std::int64_t j = 1; j < side - 1; ++j) star(i, j); };
    return {[=] { parallel_for("stencil_rows", Kokkos::RangePolicy<>(1, side - 1), body); }, star_right};
  }
  if (name == "minmaxloc2d") {
    using Reducer = Kokkos::MinMaxLoc<T, Place>;
    using Value = typename Reducer::value_type;
    const auto best = std::make_shared<Value>();
    const auto body = KOKKOS_LAMBDA(const Member& team, Value& ends) {
      Value in_row;
      const Index row = team.league_rank();
      parallel_reduce(Kokkos::TeamThreadRange(team, side), [=](const Index column, Value& mine) {
        if (a(row, column) < mine.min_val) { mine.min_val = a(row, column); mine.min_loc = Place(row, column); }
        if (a(row, column) > mine.max_val) { mine.max_val = a(row, column); mine.max_loc = Place(row, column); }
      }, Reducer(in_row));
      Kokkos::single(Kokkos::PerTeam(team), [&] { Reducer(ends).join(ends, in_row); });
    };
    return {[=] { parallel_reduce("minmaxloc2d", Kokkos::TeamPolicy<>(side, Kokkos::AUTO), body, Reducer(*best)); },
            [=] {
              const auto [low, high] = std::minmax_element(a.data(), a.data() + a.size());
              return best->min_val == *low && a(best->min_loc.first, best->min_loc.second) == *low
                  && best->max_val == *high && a(best->max_loc.first, best->max_loc.second) == *high;
            }};
  }
  return {};
}

// `name` is the case without its width, as in "rows_team" for `rows8_team`.
template <class T>
Case rows_case(const std::string& name, Index rows, Index width) {
  const auto x = arrays<T>(rows * width).x;
  const auto y = arrays<T>(rows * width).y;
  const Kokkos::View<const T**, Kokkos::LayoutRight> a(x.data(), rows, width);
  const Kokkos::TeamPolicy<> teams(int(rows), Kokkos::AUTO);
  const auto out = std::make_shared<T>();

  const auto by_thread = KOKKOS_LAMBDA(const Index row) {
    T sum = 0;
    for (Index j = 0; j < width; ++j) sum += a(row, j);
    return sum;
  };
  const auto by_team = KOKKOS_LAMBDA(const Member& team) {
    T sum = 0;
    const Index row = team.league_rank();
    parallel_reduce(Kokkos::TeamThreadRange(team, width), [=](const Index j, T& part) { part += a(row, j); }, sum);
    return sum;
  };
  const T* past = x.data() + rows * width;
  const auto rows_right = [=] { return near(y(rows - 1), std::accumulate(past - width, past, 0.0), width); };
  const auto total_right = [=] { return near(*out, std::accumulate(x.data(), past, 0.0), rows * width); };

  if (name == "rows")
    return {[=] { parallel_for("rows", rows, KOKKOS_LAMBDA(const Index i) { y(i) = by_thread(i); }); }, rows_right};
  if (name == "rows_sum") {
    const auto body = KOKKOS_LAMBDA(const Index row, T& sum) { sum += by_thread(row); };
    return {[=] { parallel_reduce("rows_sum", rows, body, *out); }, total_right};
  }
  if (name == "rows_team") {
    const auto body = KOKKOS_LAMBDA(const Member& team) {
      const T in_row = by_team(team);
      Kokkos::single(Kokkos::PerTeam(team), [&] { y(team.league_rank()) = in_row; });
    };
    return {[=] { parallel_for("rows_team", teams, body); }, rows_right};
  }
  if (name == "rows_sum_team") {
    const auto body = KOKKOS_LAMBDA(const Member& team, T& sum) {
      const T in_row = by_team(team);
      Kokkos::single(Kokkos::PerTeam(team), [&] { sum += in_row; });
    };
    return {[=] { parallel_reduce("rows_sum_team", teams, body, *out); }, total_right};
  }
  return {};
}

template <class T>
Case find_case(const std::string& name, int n) {
  if (name.rfind("stencil", 0) == 0 || name == "minmaxloc2d") return square_case<T>(name, int(std::sqrt(double(n))));
  for (const auto* part : {"map_", "random_", "order_by_bins", "sort_by_bins"})
    if (name.rfind(part, 0) == 0) {
      const auto [call, right] = containers::find_case(name, std::size_t(n));
      return {call, right};
    }
  const auto digits = name.find_first_of("0123456789");
  if (digits == std::string::npos) return flat_case<T>(name, n);
  const auto end = std::min(name.find_first_not_of("0123456789", digits), name.size());
  const int width = end - digits > 6 ? 0 : std::stoi(name.substr(digits, end - digits));
  if (width < 1 || width > std::numeric_limits<int>::max() / n) return {};
  return rows_case<T>(name.substr(0, digits) + name.substr(end), n, width);
}

// No fence after a call: a launch on Kokkos's OpenMP space is over when it returns.
long long median_nanoseconds(const std::function<void()>& call, std::size_t calls) {
  std::vector<long long> times(calls);
  for (auto& time : times) {
    const auto start = std::chrono::steady_clock::now();
    call();
    time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  }
  std::nth_element(times.begin(), times.begin() + calls / 2, times.end());
  return times[calls / 2];
}

std::string answer(const std::string& line) {
  std::istringstream words(line);
  std::string name, type;
  long long n = 0, calls = 0;
  words >> name >> type >> n >> calls;
  if (name == "threads") return std::to_string(Kokkos::OpenMP().concurrency());
  if (!words || n < 1 || n > std::numeric_limits<int>::max() || calls < 1) return "unknown";
  const Case found = type == "f64" ? find_case<double>(name, int(n)) : type == "f32" ? find_case<float>(name, int(n))
                   : type == "i64" ? find_case<std::int64_t>(name, int(n)) : Case{};
  if (!found.call) return "unknown";
  for (int i = 0; i < WARM_UP; ++i) found.call();
  const auto median = median_nanoseconds(found.call, std::size_t(calls));
  return found.right() ? std::to_string(median) : "wrong";
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  for (std::string line; std::getline(std::cin, line);) std::cout << answer(line) << std::endl;
}
