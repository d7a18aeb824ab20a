// Kokkos's containers, random numbers and sort by bins, as cases of the peer.
//
// Cases over N elements, all of TYPE f64: map_insert (a new map, then N keys), map_insert_cleared (the same map, cleared), map_find (N keys that are
// there), map_miss (N keys that are not), random_fill, random_each, random_normal, order_by_bins, sort_by_bins (a bin for 8 elements;
// the second one also moves keys and one array of f64).
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <Kokkos_Sort.hpp>
#include <Kokkos_UnorderedMap.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace containers {

using Call = std::function<void()>;
using Right = std::function<bool()>;
using Map = Kokkos::UnorderedMap<std::uint64_t, std::uint32_t>;
using Pool = Kokkos::Random_XorShift64_Pool<>;

// SplitMix64 at its place i, as in the driver.
KOKKOS_FUNCTION inline std::uint64_t random_bits(std::uint64_t i) {
  std::uint64_t bits = (i + 1) * 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

inline void insert_all(const Map& map, const Kokkos::View<std::uint64_t*>& keys) {
  Kokkos::parallel_for("map_insert", keys.extent(0), KOKKOS_LAMBDA(const std::size_t i) { map.insert(keys(i), i); });
}

// Keys of the places from first on.
inline Kokkos::View<std::uint64_t*> keys_from(std::size_t first, std::size_t n) {
  const Kokkos::View<std::uint64_t*> keys("keys", n);
  Kokkos::parallel_for(n, KOKKOS_LAMBDA(const std::size_t i) { keys(i) = random_bits(first + i); });
  return keys;
}

inline std::pair<Call, Right> map_case(const std::string& name, std::size_t n) {
  const auto keys = keys_from(0, n);
  const auto map = std::make_shared<Map>(n);
  if (name == "map_insert")
    return {[=] { *map = Map(n); insert_all(*map, keys); }, [=] { return map->size() == n && !map->failed_insert(); }};
  if (name == "map_insert_cleared")
    return {[=] { map->clear(); insert_all(*map, keys); }, [=] { return map->size() == n && !map->failed_insert(); }};
  insert_all(*map, keys);
  const bool there = name == "map_find";
  if (!there && name != "map_miss") return {};
  const auto asked = there ? keys : keys_from(n, n);
  const auto sum = std::make_shared<std::uint64_t>();
  const auto call = [=] {
    const auto found = *map;
    Kokkos::parallel_reduce("map_find", n, KOKKOS_LAMBDA(const std::size_t i, std::uint64_t& all) {
      const auto at = found.find(asked(i));
      if (found.valid_at(at)) all += found.value_at(at);
    }, *sum);
  };
  return {call, [=] { return *sum == (there ? std::uint64_t(n) * (n - 1) / 2 : 0); }};
}

inline std::pair<Call, Right> random_case(const std::string& name, std::size_t n) {
  const auto pool = std::make_shared<Pool>(2026);
  const Kokkos::View<double*> y("y", n);
  // The means of the first numbers are 0 within six deviations.
  const auto right = [=] {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += y(i);
    return std::abs(sum) <= 6 * std::sqrt(double(n));
  };
  if (name == "random_fill") return {[=] { Kokkos::fill_random(y, *pool, -1.0, 1.0); }, right};
  const auto each = [=](auto number) {
    return [=] {
      const Pool numbers = *pool;
      Kokkos::parallel_for("random", n, KOKKOS_LAMBDA(const std::size_t i) {
        auto state = numbers.get_state();
        y(i) = number(state);
        numbers.free_state(state);
      });
    };
  };
  if (name == "random_each") return {each([](auto& state) { return state.drand(-1.0, 1.0); }), right};
  if (name == "random_normal") return {each([](auto& state) { return state.normal(); }), right};
  return {};
}

inline std::pair<Call, Right> bins_case(const std::string& name, std::size_t n) {
  using Keys = Kokkos::View<std::uint32_t*>;
  using Bins = Kokkos::BinOp1D<Keys>;
  const std::uint32_t count = std::max<std::size_t>(n / 8, 1);
  const Keys given("given", n), keys("keys", n);
  const Kokkos::View<double*> values("values", n);
  Kokkos::parallel_for(n, KOKKOS_LAMBDA(const std::size_t i) { given(i) = random_bits(i) % count, values(i) = i; });
  const bool moved = name == "sort_by_bins";
  if (!moved && name != "order_by_bins") return {};
  const auto sorter = std::make_shared<std::unique_ptr<Kokkos::BinSort<Keys, Bins>>>();
  const auto call = [=] {
    // Bins by the number itself: [0, count) has as many bins.
    *sorter = std::make_unique<Kokkos::BinSort<Keys, Bins>>(given, Bins(int(count), 0, count), false);
    (*sorter)->create_permute_vector();
    if (moved) {
      Kokkos::deep_copy(keys, given);
      (*sorter)->sort(keys);
      (*sorter)->sort(values);
    }
  };
  const auto right = [=] {
    const auto order = (*sorter)->get_permute_vector();
    std::vector<bool> seen(n);
    for (std::size_t k = 0; k < n; ++k) {
      if (seen[order(k)] || (k > 0 && given(order(k - 1)) > given(order(k)))) return false;
      seen[order(k)] = true;
      if (moved && keys(k) != given(order(k))) return false;
    }
    return true;
  };
  return {call, right};
}

inline std::pair<Call, Right> find_case(const std::string& name, std::size_t n) {
  if (name.rfind("map_", 0) == 0) return map_case(name, n);
  if (name.rfind("random_", 0) == 0) return random_case(name, n);
  return bins_case(name, n);
}

}  // namespace containers
