// Random arrays: sizes, bounds and seeds.

#include "catena/array/all.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

namespace random = array::random;
using array::random::Generator;
using ShapeFunction = std::function<Array(const Shape& shape)>;

// As large as the least memory allows.
constexpr Dtype kHalf = Dtype::kFloat16;

Generator& numbers() {
  static Generator generator(1, native_device());
  return generator;
}

std::vector<std::pair<std::string, ShapeFunction>> functions() {
  return {
      {"bernoulli", [](auto& shape) { return random::bernoulli(0.5, shape); }},
      {"choice", [](auto& shape) { return random::choice(3, shape); }},
      {"choice",
       [](auto& shape) {
         return random::choice(3, shape, {.replace = false});
       }},
      {"lognormal",
       [](auto& shape) { return random::lognormal(0, 1, shape, kHalf); }},
      {"normal",
       [](auto& shape) { return random::normal(0, 1, shape, kHalf); }},
      {"rand", [](auto& shape) { return random::rand(shape, kHalf); }},
      {"randint",
       [](auto& shape) { return random::randint(0, 3, shape, Dtype::kInt8); }},
      {"randn", [](auto& shape) { return random::randn(shape, kHalf); }},
      {"random_integers",
       [](auto& shape) {
         return random::random_integers(0, 3, shape, Dtype::kInt8);
       }},
      {"random_sample",
       [](auto& shape) { return random::random_sample(shape, kHalf); }},
      {"ranf", [](auto& shape) { return random::ranf(shape, kHalf); }},
      {"sample", [](auto& shape) { return random::sample(shape, kHalf); }},
      {"standard_normal",
       [](auto& shape) { return random::standard_normal(shape, kHalf); }},
      {"uniform",
       [](auto& shape) { return random::uniform(0, 1, shape, kHalf); }},
  };
}

std::vector<std::pair<std::string, ShapeFunction>> methods() {
  return {
      {"bernoulli",
       [](auto& shape) { return numbers().bernoulli(0.5, shape); }},
      {"bernoulli_mask",
       [](auto& shape) {
         return numbers().bernoulli_mask(0.5, shape, kHalf, 2).array();
       }},
      {"interval", [](auto& shape) { return numbers().interval(3, shape); }},
      {"lognormal",
       [](auto& shape) { return numbers().lognormal(0, 1, shape, kHalf); }},
      {"normal",
       [](auto& shape) { return numbers().normal(0, 1, shape, kHalf); }},
      {"rand", [](auto& shape) { return numbers().rand(shape, kHalf); }},
      {"randint",
       [](auto& shape) {
         return numbers().randint(0, 3, shape, Dtype::kInt8);
       }},
      {"randn", [](auto& shape) { return numbers().randn(shape, kHalf); }},
      {"random_integers",
       [](auto& shape) {
         return numbers().random_integers(0, 3, shape, Dtype::kInt8);
       }},
      {"random_sample",
       [](auto& shape) { return numbers().random_sample(shape, kHalf); }},
      {"standard_normal",
       [](auto& shape) { return numbers().standard_normal(shape, kHalf); }},
      {"uniform",
       [](auto& shape) { return numbers().uniform(0, 1, shape, kHalf); }},
  };
}

ArgumentCases bounds() {
  const Shape shape = {20};
  return {
      {"array::random", "shape",
       [](const Shape& size) { return random::random(size, kHalf); }},
      {"array::random::WalkerAlias::sample", "shape",
       [](const Shape& size) {
         return random::WalkerAlias(floats({3})).sample(size);
       }},
      {"array::random::choice", "n",
       [=](int64_t n) { return random::choice(n, shape); }},
      {"array::random::choice", "n",
       [](int64_t n) { return random::choice(n, {2}, {.replace = false}); }},
      {"array::random::permutation", "n",
       [](int64_t n) { return random::permutation(n); }},
      {"array::random::randint", "low",
       [=](int64_t n) { return random::randint(n, std::nullopt, shape); }},
      {"array::random::randint", "low",
       [=](int64_t n) { return random::randint(n, INT64_MAX, shape); }},
      {"array::random::randint", "high",
       [=](int64_t n) { return random::randint(INT64_MIN, n, shape); }},
      {"array::random::randint", "high",
       [=](int64_t n) { return random::randint(0, n, shape, Dtype::kInt32); }},
      {"array::random::random_integers", "low",
       [=](int64_t n) {
         return random::random_integers(n, std::nullopt, shape);
       }},
      {"array::random::random_integers", "low",
       [=](int64_t n) { return random::random_integers(n, INT64_MAX, shape); }},
      {"array::random::random_integers", "high",
       [=](int64_t n) { return random::random_integers(INT64_MIN, n, shape); }},
      {"array::random::seed", "seed",
       [](int64_t n) { random::seed(static_cast<uint64_t>(n)); }},
      {"array::random::Generator", "seed",
       [=](int64_t n) {
         Generator generator(static_cast<uint64_t>(n), native_device());
         return generator.rand(shape);
       }},
      {"array::random::Generator::seed", "seed",
       [](int64_t n) { numbers().seed(static_cast<uint64_t>(n)); }},
      {"array::random::Generator::interval", "mx",
       [=](int64_t n) { return numbers().interval(n, shape); }},
      {"array::random::Generator::permutation", "n",
       [](int64_t n) { return numbers().permutation(n); }},
      {"array::random::Generator::randint", "low",
       [=](int64_t n) { return numbers().randint(n, INT64_MAX, shape); }},
      {"array::random::Generator::randint", "high",
       [=](int64_t n) { return numbers().randint(INT64_MIN, n, shape); }},
      {"array::random::Generator::random_integers", "low",
       [=](int64_t n) {
         return numbers().random_integers(n, INT64_MAX, shape);
       }},
      {"array::random::Generator::random_integers", "high",
       [=](int64_t n) {
         return numbers().random_integers(INT64_MIN, n, shape);
       }},
  };
}

}  // namespace

ArgumentCases array_random_cases() {
  ArgumentCases cases = bounds();
  for (const auto& [name, function] : functions()) {
    cases.push_back({"array::random::" + name, "shape", function});
  }
  for (const auto& [name, function] : methods()) {
    cases.push_back({"array::random::Generator::" + name, "shape", function});
  }
  return cases;
}

}  // namespace catena::testing
