#include "catena/tests/testing/shaped_data.h"

#include <atomic>
#include <cstdlib>
#include <random>
#include <string_view>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::testing {
namespace {

Array shaped(const Array& numbers, const Shape& shape, Dtype dtype) {
  const Array a = numbers.reshape(shape);
  if (dtype == Dtype::kBool) return array::equal(array::remainder(a, 2), 0);
  return a.astype(dtype);
}

}  // namespace

Array shaped_arange(const Shape& shape, Dtype dtype) {
  const int64_t size = checked_size(shape, 8, "shaped_arange");
  return shaped(array::arange(1, size + 1), shape, dtype);
}

Array shaped_reverse_arange(const Shape& shape, Dtype dtype) {
  const int64_t size = checked_size(shape, 8, "shaped_reverse_arange");
  return shaped(array::arange(size, 0, -1), shape, dtype);
}

Array shaped_random(const Shape& shape, Dtype dtype, double scale,
                    uint64_t seed) {
  array::random::Generator generator(seed, current_device());
  if (dtype == Dtype::kBool) return generator.bernoulli(0.5, shape);
  return generator.uniform(0, scale, shape).astype(dtype);
}

uint64_t generate_seed() {
  const char* wish = std::getenv("CHAINER_TEST_RANDOM_NONDETERMINISTIC");
  if (wish != nullptr && std::string_view(wish) == "1") {
    return std::random_device()();
  }
  static std::atomic<uint64_t> next{0};
  return next++;
}

FixRandom::FixRandom(uint64_t seed)
    : device_(current_device()),
      before_(array::random::generator(device_).state()) {
  array::random::seed(seed, device_);
}

FixRandom::~FixRandom() {
  array::random::generator(device_).set_state(before_);
}

}  // namespace catena::testing
