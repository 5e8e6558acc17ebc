#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "catena/array/array.h"

// Random arrays. Each device has a counter-based generator (philox.h): a seed
// gives the same values on every device and instruction set, with any number of
// threads. An unseeded generator takes its seed from the environment variable
// CHAINER_SEED, else from system entropy.
namespace catena::array::random {

// The complete state of a generator.
struct GeneratorState {
  uint64_t seed = 0;
  uint64_t position = 0;  // a multiple of 16

  friend bool operator==(const GeneratorState&,
                         const GeneratorState&) = default;
};

// The factors of one dropout. A GPU computes them from their place in the
// stream each time, so that they take no memory; other devices keep an array.
class Mask {
 public:
  // The mask itself.
  Array array() const;
  // x times the mask, in one pass over memory. x has the mask's shape, dtype
  // and device.
  Array times(const Array& x) const;

 private:
  friend class Generator;

  Array stored_;  // if defined, the rest is not used
  Device device_;
  Shape shape_;
  Dtype dtype_ = Dtype::kFloat32;
  uint32_t threshold_ = 0;
  double value_ = 0;
  GeneratorState state_;
};

// A stream of random numbers. Thread-safe; concurrent draws get consecutive
// parts of the stream in the order of arrival. Work that is captured in a graph
// (captured_work.h) draws at each launch instead, for which the generator must
// be alive; permutation() can't be captured, and throws NotImplementedError.
//
// All routines throw ShapeError on a bad shape, DtypeError when the
// distribution does not support the dtype, DeviceError and OutOfMemoryError.
class Generator {
 public:
  // Results are on `device`. Seeded on first use from CHAINER_SEED or entropy.
  explicit Generator(Device device) : device_(device) {}
  Generator(uint64_t seed, Device device) : device_(device) {
    this->seed(seed);
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  Device device() const { return device_; }

  // Restarts the stream from `seed`, or else from a number of the operating
  // system's.
  void seed(std::optional<uint64_t> seed = std::nullopt);
  GeneratorState state();
  // Resumes from a state that state() returned. Throws ValueError for one that
  // it cannot have returned.
  void set_state(const GeneratorState& state);
  // How often seed() and set_state() have been called. While this stays, what
  // follows the generator in a stream of its own may go on.
  int64_t restarts();

  // Uniform over [low, high); any floating dtype. Throws ValueError unless low,
  // high and high - low are finite and low <= high.
  Array uniform(double low = 0, double high = 1, const Shape& shape = {},
                Dtype dtype = Dtype::kFloat64);
  // Gaussian with mean `loc` and standard deviation `scale`, any floating
  // dtype. Throws ValueError unless both are finite and scale >= 0.
  Array normal(double loc = 0, double scale = 1, const Shape& shape = {},
               Dtype dtype = Dtype::kFloat64);
  // Integers in [low, high), or in [0, low) without a high. Throws ValueError
  // unless low < high, DtypeError when the dtype cannot hold all of them.
  Array randint(int64_t low, std::optional<int64_t> high = std::nullopt,
                const Shape& shape = {}, Dtype dtype = Dtype::kInt64);
  // `value` with probability `p` (resolution 2^-32), else 0; bool or any
  // floating dtype. p = 1 - ratio and value = 1 / p give dropout's mask. Throws
  // ValueError unless p is in [0, 1] and value is finite.
  Array bernoulli(double p, const Shape& shape, Dtype dtype = Dtype::kBool,
                  double value = 1);
  // The same numbers, which the caller multiplies by, once or more often.
  Mask bernoulli_mask(double p, const Shape& shape, Dtype dtype, double value);
  // 0 to n - 1 in random order, int64. Throws ValueError when n is negative.
  Array permutation(int64_t n);

  // Uniform over [0, 1). rand takes float32 and float64 only.
  Array random_sample(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64);
  Array rand(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64);
  // Normal with mean 0 and standard deviation 1. randn takes float32 and
  // float64 only.
  Array standard_normal(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64);
  Array randn(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64);
  // exp of normal(mean, sigma); overflow gives infinity. Throws as normal does.
  Array lognormal(double mean = 0, double sigma = 1, const Shape& shape = {},
                  Dtype dtype = Dtype::kFloat64);
  // Integers in [0, mx], int32. Throws ValueError unless 0 <= mx < 2^31.
  Array interval(int64_t mx, const Shape& shape);
  // Integers in [low, high], including high, or in [1, low] without a high.
  // Throws ValueError unless low <= high.
  Array random_integers(int64_t low, std::optional<int64_t> high = std::nullopt,
                        const Shape& shape = {}, Dtype dtype = Dtype::kInt64);

 private:
  // Reserves the next `count` counters of the stream.
  GeneratorState reserve(int64_t count);
  template <class Op>
  Array draw(const Op& op, const Shape& shape, Dtype dtype, Device device);

  Device device_;
  std::mutex mutex_;
  std::optional<GeneratorState> state_;
  int64_t restarts_ = 0;
};

// The generator of `device`, by default the current one. Throws DeviceError
// when the device does not exist.
Generator& generator(std::optional<Device> device = std::nullopt);

// Seeds the generator of `device`, by default the current one. Without a seed,
// with a number of the operating system's.
void seed(std::optional<uint64_t> seed = std::nullopt,
          std::optional<Device> device = std::nullopt);

// The functions of that generator.
Array uniform(double low = 0, double high = 1, const Shape& shape = {},
              Dtype dtype = Dtype::kFloat64,
              std::optional<Device> device = std::nullopt);
Array normal(double loc = 0, double scale = 1, const Shape& shape = {},
             Dtype dtype = Dtype::kFloat64,
             std::optional<Device> device = std::nullopt);
Array randint(int64_t low, std::optional<int64_t> high = std::nullopt,
              const Shape& shape = {}, Dtype dtype = Dtype::kInt64,
              std::optional<Device> device = std::nullopt);
Array bernoulli(double p, const Shape& shape, Dtype dtype = Dtype::kBool,
                std::optional<Device> device = std::nullopt);
Array permutation(int64_t n, std::optional<Device> device = std::nullopt);
Array random_sample(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64,
                    std::optional<Device> device = std::nullopt);
Array rand(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64,
           std::optional<Device> device = std::nullopt);
Array standard_normal(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64,
                      std::optional<Device> device = std::nullopt);
Array randn(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64,
            std::optional<Device> device = std::nullopt);
Array lognormal(double mean = 0, double sigma = 1, const Shape& shape = {},
                Dtype dtype = Dtype::kFloat64,
                std::optional<Device> device = std::nullopt);
Array random_integers(int64_t low, std::optional<int64_t> high = std::nullopt,
                      const Shape& shape = {}, Dtype dtype = Dtype::kInt64,
                      std::optional<Device> device = std::nullopt);

// NumPy's aliases of random_sample.
inline Array random(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64,
                    std::optional<Device> device = std::nullopt) {
  return random_sample(shape, dtype, device);
}
inline Array ranf(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64,
                  std::optional<Device> device = std::nullopt) {
  return random_sample(shape, dtype, device);
}
inline Array sample(const Shape& shape = {}, Dtype dtype = Dtype::kFloat64,
                    std::optional<Device> device = std::nullopt) {
  return random_sample(shape, dtype, device);
}

}  // namespace catena::array::random
