#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/random/random.h"

// Data and parameters for tests.
namespace catena::testing {

// 1, 2, ..., n in C order on the current device, cast to the dtype; for bool,
// whether these are even.
Array shaped_arange(const Shape& shape, Dtype dtype = Dtype::kFloat32);
// n, n - 1, ..., 1.
Array shaped_reverse_arange(const Shape& shape, Dtype dtype = Dtype::kFloat32);
// Uniform random numbers in [0, scale), or random bools, determined by the seed
// on every device. (Not the same numbers as CuPy's.)
Array shaped_random(const Shape& shape, Dtype dtype = Dtype::kFloat32,
                    double scale = 10, uint64_t seed = 0);

// A seed for random data: the next one of a fixed sequence, or from entropy if
// the environment variable CHAINER_TEST_RANDOM_NONDETERMINISTIC is 1. Callers
// should log it.
uint64_t generate_seed();

// Seeds the generator of the current device for a scope, and restores its state
// afterwards.
class FixRandom {
 public:
  explicit FixRandom(uint64_t seed = generate_seed());
  ~FixRandom();
  FixRandom(const FixRandom&) = delete;
  FixRandom& operator=(const FixRandom&) = delete;

 private:
  Device device_;
  array::random::GeneratorState before_;
};

// The Cartesian product of the lists, the last varying fastest.
inline std::vector<std::tuple<>> product() { return {{}}; }
template <class First, class... Rest>
std::vector<std::tuple<First, Rest...>> product(
    const std::vector<First>& first, const std::vector<Rest>&... rest) {
  std::vector<std::tuple<First, Rest...>> tuples;
  const auto tails = product(rest...);
  for (const First& value : first) {
    for (const auto& tail : tails) {
      tuples.push_back(std::tuple_cat(std::tuple(value), tail));
    }
  }
  return tuples;
}

// All unions of one map from each list; for duplicate keys, the last list's
// value.
template <class Value>
std::vector<std::map<std::string, Value>> product_dict(
    const std::vector<std::vector<std::map<std::string, Value>>>& lists) {
  std::vector<std::map<std::string, Value>> unions(1);
  for (const auto& list : lists) {
    std::vector<std::map<std::string, Value>> longer;
    for (const auto& known : unions) {
      for (std::map<std::string, Value> added : list) {
        added.insert(known.begin(), known.end());
        longer.push_back(std::move(added));
      }
    }
    unions = std::move(longer);
  }
  return unions;
}

}  // namespace catena::testing
