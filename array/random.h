#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "catena/array/array.h"

// Random arrays. Each device has a generator, a counter-based one (philox.h),
// so that a seed gives the same numbers on every device, instruction set and
// number of threads. A generator that nobody seeded starts from the environment
// variable CHAINER_SEED or else from the system's entropy.
namespace catena::array::random {

// Everything that the further numbers of a generator depend on.
struct GeneratorState {
  uint64_t seed = 0;
  uint64_t position = 0;  // a multiple of 16

  friend bool operator==(const GeneratorState&,
                         const GeneratorState&) = default;
};

// A stream of random numbers. Several threads may draw from one; then the order
// in which they come decides who gets which part of the stream.
//
// All routines throw ShapeError on a bad shape, DtypeError when the
// distribution is not offered in the dtype, DeviceError, OutOfMemoryError.
class Generator {
 public:
  // Results lie on `device`. Seeded by CHAINER_SEED or entropy when first used.
  explicit Generator(Device device) : device_(device) {}
  Generator(uint64_t seed, Device device) : device_(device) {
    this->seed(seed);
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  Device device() const { return device_; }

  // Starts the stream of this seed.
  void seed(uint64_t seed) { set_state({.seed = seed, .position = 0}); }
  GeneratorState state();
  // Continues where state() was read. ValueError when it cannot come from
  // there.
  void set_state(const GeneratorState& state);

  // Evenly over [low, high), any floating dtype. ValueError unless both and
  // high - low are finite and low <= high.
  Array uniform(double low, double high, const Shape& shape,
                Dtype dtype = Dtype::kFloat64);
  // Gaussian with mean `loc` and standard deviation `scale`, any floating
  // dtype. ValueError unless both are finite and scale >= 0.
  Array normal(double loc, double scale, const Shape& shape,
               Dtype dtype = Dtype::kFloat64);
  // Integers in [low, high). ValueError unless low < high, DtypeError when the
  // dtype cannot hold them all.
  Array randint(int64_t low, int64_t high, const Shape& shape,
                Dtype dtype = Dtype::kInt64);
  // `value` with probability `p`, in steps of 2^-32, else 0; bool or any
  // floating dtype. With p = 1 - ratio and value = 1 / p: dropout's mask.
  // ValueError unless p is in [0, 1] and the value finite.
  Array bernoulli(double p, const Shape& shape, Dtype dtype = Dtype::kBool,
                  double value = 1);
  // 0 to n - 1 in random order, int64. ValueError when n is negative.
  Array permutation(int64_t n);

  // uniform on [0, 1), and under the name that NumPy gives it with float32 and
  // float64 alone.
  Array random_sample(const Shape& shape, Dtype dtype = Dtype::kFloat64);
  Array rand(const Shape& shape, Dtype dtype = Dtype::kFloat64);
  // normal with mean 0 and standard deviation 1, and likewise.
  Array standard_normal(const Shape& shape, Dtype dtype = Dtype::kFloat64);
  Array randn(const Shape& shape, Dtype dtype = Dtype::kFloat64);
  // exp of normal(mean, sigma); infinite where that overflows. The errors of
  // normal.
  Array lognormal(double mean, double sigma, const Shape& shape,
                  Dtype dtype = Dtype::kFloat64);
  // Integers in [0, mx], int32. ValueError unless 0 <= mx < 2^31.
  Array interval(int64_t mx, const Shape& shape);
  // Integers in [low, high], the end included. ValueError unless low <= high.
  Array random_integers(int64_t low, int64_t high, const Shape& shape,
                        Dtype dtype = Dtype::kInt64);

 private:
  // Takes the next `count` counters out of the stream.
  GeneratorState reserve(int64_t count);
  template <class Op>
  Array draw(const Op& op, const Shape& shape, Dtype dtype, Device device);

  Device device_;
  std::mutex mutex_;
  std::optional<GeneratorState> state_;
};

// The generator of `device`, which defaults to the current one. DeviceError
// when there is no such device.
Generator& generator(std::optional<Device> device = std::nullopt);

// Seeds the generator of `device`, which defaults to the current one.
void seed(uint64_t seed, std::optional<Device> device = std::nullopt);
Array uniform(double low, double high, const Shape& shape,
              Dtype dtype = Dtype::kFloat64,
              std::optional<Device> device = std::nullopt);
Array normal(double loc, double scale, const Shape& shape,
             Dtype dtype = Dtype::kFloat64,
             std::optional<Device> device = std::nullopt);
Array randint(int64_t low, int64_t high, const Shape& shape,
              Dtype dtype = Dtype::kInt64,
              std::optional<Device> device = std::nullopt);
Array bernoulli(double p, const Shape& shape, Dtype dtype = Dtype::kBool,
                std::optional<Device> device = std::nullopt);
Array permutation(int64_t n, std::optional<Device> device = std::nullopt);
Array random_sample(const Shape& shape, Dtype dtype = Dtype::kFloat64,
                    std::optional<Device> device = std::nullopt);
Array rand(const Shape& shape, Dtype dtype = Dtype::kFloat64,
           std::optional<Device> device = std::nullopt);
Array standard_normal(const Shape& shape, Dtype dtype = Dtype::kFloat64,
                      std::optional<Device> device = std::nullopt);
Array randn(const Shape& shape, Dtype dtype = Dtype::kFloat64,
            std::optional<Device> device = std::nullopt);
Array lognormal(double mean, double sigma, const Shape& shape,
                Dtype dtype = Dtype::kFloat64,
                std::optional<Device> device = std::nullopt);
Array random_integers(int64_t low, int64_t high, const Shape& shape,
                      Dtype dtype = Dtype::kInt64,
                      std::optional<Device> device = std::nullopt);

// NumPy's further names of random_sample.
inline Array random(const Shape& shape, Dtype dtype = Dtype::kFloat64,
                    std::optional<Device> device = std::nullopt) {
  return random_sample(shape, dtype, device);
}
inline Array ranf(const Shape& shape, Dtype dtype = Dtype::kFloat64,
                  std::optional<Device> device = std::nullopt) {
  return random_sample(shape, dtype, device);
}
inline Array sample(const Shape& shape, Dtype dtype = Dtype::kFloat64,
                    std::optional<Device> device = std::nullopt) {
  return random_sample(shape, dtype, device);
}

}  // namespace catena::array::random
