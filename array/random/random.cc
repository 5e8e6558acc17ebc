#include "catena/array/random/random.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/kernels/random_kernel.h"
#include "catena/array/random/drawn_places.h"
#include "catena/array/random/generator_scope.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array::random {
namespace {

uint64_t new_seed() {
  std::random_device entropy;
  return uint64_t{entropy()} << 32 | entropy();
}

uint64_t first_seed() {
  const char* text = std::getenv("CHAINER_SEED");
  if (text == nullptr) return new_seed();
  uint64_t seed = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, seed);
  if (error != std::errc() || stop != end) {
    raise<ValueError>(
        "random: expected the environment variable CHAINER_SEED "
        "to be an integer of at least 0, got '",
        text, "'");
  }
  return seed;
}

int64_t counters_for(int64_t values, int values_per_counter) {
  const int64_t group = int64_t{values_per_counter} * kCounterGroup;
  return (values / group + (values % group != 0)) * kCounterGroup;
}

template <class Op>
int64_t counters_for(int64_t values, Dtype dtype) {
  return counters_for(values, visit_dtype(dtype, [](auto tag) {
                        return kValuesPerCounter<Op, decltype(tag)>;
                      }));
}

// Whether the number stays finite in the dtype.
bool is_finite_in(Dtype dtype, double value) {
  if (!std::isfinite(value)) return false;
  if (!is_floating(dtype)) return true;
  return visit_dtype(dtype, [value](auto tag) {
    using T = decltype(tag);
    const T stored = Scalar(value).as<T>();
    return std::isfinite(static_cast<double>(stored));
  });
}

void check_bernoulli(double p, Dtype dtype, double value) {
  if (!(p >= 0 && p <= 1)) {
    raise<ValueError>("bernoulli: expected a probability in [0, 1], got ", p);
  }
  if (!is_finite_in(dtype, value)) {
    raise<ValueError>("bernoulli: expected a value that is finite in ", dtype,
                      ", got ", value);
  }
}

// NumPy supports only float32 and float64 for these.
void check_wide(std::string_view name, Dtype dtype) {
  if (dtype != Dtype::kFloat32 && dtype != Dtype::kFloat64) {
    raise<DtypeError>(name, ": expected float32 or float64, got ", dtype);
  }
}

// Numbers that were taken from a generator in vain are for the next draw,
// unless another has followed.
void give_back(std::mutex& mutex, std::optional<GeneratorState>& state,
               const GeneratorState& before, int64_t count) {
  const std::lock_guard lock(mutex);
  const GeneratorState after = {before.seed,
                                before.position + static_cast<uint64_t>(count)};
  if (state == after) state = before;
}

}  // namespace

GeneratorState Generator::state() { return reserve(0); }

void Generator::set_state(const GeneratorState& state) {
  if (state.position % kCounterGroup != 0) {
    raise<ValueError>(
        "Generator::set_state: expected a position that is a "
        "multiple of ",
        kCounterGroup, ", got ", state.position);
  }
  const std::lock_guard lock(mutex_);
  state_ = state;
  ++restarts_;
}

int64_t Generator::restarts() {
  const std::lock_guard lock(mutex_);
  return restarts_;
}

GeneratorState Generator::reserve(int64_t count) {
  const std::lock_guard lock(mutex_);
  if (!state_) state_ = {.seed = first_seed(), .position = 0};
  const GeneratorState reserved = *state_;
  state_->position += static_cast<uint64_t>(count);
  return reserved;
}

template <class Op>
Array Generator::draw(const Op& op, const Shape& shape, Dtype dtype,
                      Device device) {
  const KernelSlot<RandomTable>& slot = kernel_slot<RandomFamily, Op>;
  RandomKernel* const kernel = slot.on(device)[dtype];
  if (kernel == nullptr) {
    raise<DtypeError>(slot.name, ": not offered for dtype ", dtype);
  }
  Array out = empty(shape, dtype, device);
  if (out.size() == 0) return out;
  const int64_t count = counters_for<Op>(out.size(), dtype);
  const auto stream_of = [](const GeneratorState& state) {
    return RandomStream{state.seed, state.position};
  };
  RandomArgs args{device, out.raw_data(), out.size(), {}, &op};
  const auto [place, is_repeated] = DrawnPlaces::next(device_, count);
  if (Capture* capture = current_capture(device)) {
    args.captured = static_cast<const RandomStream*>(
        capture->value(sizeof(RandomStream),
                       [this, count, place = place, is_repeated = is_repeated,
                        stream_of](void* value) {
                         if (!is_repeated) *place = reserve(count);
                         *static_cast<RandomStream*>(value) = stream_of(*place);
                       }));
    if (!is_repeated) {
      capture->on_failed_launch([this, count, place = place] {
        give_back(mutex_, state_, *place, count);
      });
    }
    kernel(args);
    return out;
  }
  if (!is_repeated) *place = reserve(count);
  args.stream = stream_of(*place);
  try {
    kernel(args);
  } catch (...) {
    if (!is_repeated) give_back(mutex_, state_, *place, count);
    throw;
  }
  return out;
}

Array Generator::uniform(double low, double high, const Shape& shape,
                         Dtype dtype) {
  if (!(low <= high) || !is_finite_in(dtype, high - low) ||
      !is_finite_in(dtype, low) || !is_finite_in(dtype, high)) {
    raise<ValueError>(
        "uniform: expected low <= high, both and their "
        "difference finite in ",
        dtype, ", got ", low, " and ", high);
  }
  return draw(UniformOp{low, high}, shape, dtype, device_);
}

Array Generator::normal(double loc, double scale, const Shape& shape,
                        Dtype dtype) {
  if (!is_finite_in(dtype, loc) || !is_finite_in(dtype, scale) || scale < 0) {
    raise<ValueError>("normal: expected loc and scale that are finite in ",
                      dtype, " and scale >= 0, got ", loc, " and ", scale);
  }
  return draw(NormalOp{loc, scale}, shape, dtype, device_);
}

void Generator::seed(std::optional<uint64_t> seed) {
  set_state({.seed = seed ? *seed : new_seed(), .position = 0});
}

Array Generator::randint(int64_t first, std::optional<int64_t> second,
                         const Shape& shape, Dtype dtype) {
  const int64_t low = second ? first : 0;
  const int64_t high = second.value_or(first);
  if (low >= high) {
    raise<ValueError>("randint: expected low < high, got ", low, " and ", high);
  }
  alignas(8) char item[8];
  Scalar(low).store(item, dtype, "randint");
  Scalar(high - 1).store(item, dtype, "randint");
  const uint64_t range =
      static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (range > uint64_t{1} << 32) {
    return draw(WideRandintOp{low, range}, shape, dtype, device_);
  }
  return draw(RandintOp{low, range}, shape, dtype, device_);
}

Array Generator::bernoulli(double p, const Shape& shape, Dtype dtype,
                           double value) {
  check_bernoulli(p, dtype, value);
  const double threshold = std::nearbyint(p * 0x1p32);
  if (threshold == 0x1p32) {
    // Even the largest 32-bit threshold would miss one word.
    const GeneratorState before = state();
    Array out = draw(MaskOp{0, 0}, shape, dtype, device_);
    try {
      out.fill(value);
    } catch (...) {
      give_back(mutex_, state_, before,
                counters_for<MaskOp>(out.size(), dtype));
      throw;
    }
    return out;
  }
  return draw(MaskOp{static_cast<uint32_t>(threshold), value}, shape, dtype,
              device_);
}

Mask Generator::bernoulli_mask(double p, const Shape& shape, Dtype dtype,
                               double value) {
  Mask mask;
  const double threshold = std::nearbyint(p * 0x1p32);
  // A captured draw finds its place in the stream when it is launched, where
  // later work would not find it.
  if (masked_slot.find(device_) == nullptr || !is_floating(dtype) ||
      threshold == 0x1p32 || current_capture(device_) != nullptr) {
    mask.stored_ = bernoulli(p, shape, dtype, value);
    return mask;
  }
  check_bernoulli(p, dtype, value);
  mask.device_ = device_;
  mask.shape_ = shape;
  mask.dtype_ = dtype;
  mask.threshold_ = static_cast<uint32_t>(threshold);
  mask.value_ = value;
  const int64_t count = counters_for<MaskOp>(size_of(shape), dtype);
  const DrawnPlaces::Next next = DrawnPlaces::next(device_, count);
  if (!next.is_repeated) *next.place = reserve(count);
  mask.state_ = *next.place;
  return mask;
}

Array Mask::array() const {
  if (stored_.defined()) return stored_;
  const MaskOp op{threshold_, value_};
  Array out = empty(shape_, dtype_, device_);
  if (out.size() == 0) return out;
  kernel_slot<RandomFamily, MaskOp>.on(device_)[dtype_](
      {device_,
       out.raw_data(),
       out.size(),
       {state_.seed, state_.position},
       &op});
  return out;
}

Array Mask::times(const Array& x) const {
  if (stored_.defined()) return multiply(x, stored_);
  const MaskOp op{threshold_, value_};
  const Array in = x.contiguous();
  Array out = empty(shape_, dtype_, device_);
  if (out.size() == 0) return out;
  masked_slot.on(device_)[dtype_]({device_,
                                   out.raw_data(),
                                   out.size(),
                                   {state_.seed, state_.position},
                                   &op},
                                  in.raw_data());
  return out;
}

Array Generator::permutation(int64_t n) {
  if (n < 0) {
    raise<ValueError>("permutation: expected n of at least 0, got ", n);
  }
  if (current_capture(device_) != nullptr) {
    raise<NotImplementedError>(
        "permutation: expected no capture, got one of ", device_,
        ", in which each launch would find the same order");
  }
  const GeneratorState before = state();
  const Array result = empty({n}, Dtype::kInt64, native_device());
  const Array bits = draw(RandomBitsOp(), {n}, Dtype::kUInt64, native_device());
  const auto* words = bits.data<uint64_t>();
  auto* order = result.data<int64_t>();
  // The inside-out Fisher-Yates shuffle.
  for (int64_t i = 0; i < n; ++i) {
    const auto j = static_cast<int64_t>(
        internal::multiply_high(words[i], static_cast<uint64_t>(i) + 1));
    order[i] = order[j];
    order[j] = i;
  }
  try {
    return result.to_device(device_);
  } catch (...) {
    give_back(mutex_, state_, before,
              counters_for<RandomBitsOp>(n, Dtype::kUInt64));
    throw;
  }
}

Array Generator::random_sample(const Shape& shape, Dtype dtype) {
  return uniform(0, 1, shape, dtype);
}

Array Generator::rand(const Shape& shape, Dtype dtype) {
  check_wide("rand", dtype);
  return uniform(0, 1, shape, dtype);
}

Array Generator::standard_normal(const Shape& shape, Dtype dtype) {
  return normal(0, 1, shape, dtype);
}

Array Generator::randn(const Shape& shape, Dtype dtype) {
  check_wide("randn", dtype);
  return normal(0, 1, shape, dtype);
}

Array Generator::lognormal(double mean, double sigma, const Shape& shape,
                           Dtype dtype) {
  const GeneratorState before = state();
  const Array numbers = normal(mean, sigma, shape, dtype);
  try {
    return exp(numbers);
  } catch (...) {
    give_back(mutex_, state_, before,
              counters_for<NormalOp>(numbers.size(), dtype));
    throw;
  }
}

Array Generator::interval(int64_t mx, const Shape& shape) {
  if (mx < 0 || mx > std::numeric_limits<int32_t>::max()) {
    raise<ValueError>("interval: expected mx in [0, 2^31), got ", mx);
  }
  return randint(0, mx + 1, shape, Dtype::kInt32);
}

Array Generator::random_integers(int64_t first, std::optional<int64_t> second,
                                 const Shape& shape, Dtype dtype) {
  const int64_t low = second ? first : 1;
  const int64_t high = second.value_or(first);
  if (low > high || high == std::numeric_limits<int64_t>::max()) {
    raise<ValueError>("random_integers: expected low <= high < 2^63 - 1, got ",
                      low, " and ", high);
  }
  return randint(low, high + 1, shape, dtype);
}

Generator& generator(std::optional<Device> device) {
  const Device wanted = device.value_or(current_device());
  require_device(wanted, "random");
  if (Generator* const copy = GeneratorScope::find(wanted)) return *copy;
  struct Registry {
    std::mutex mutex;
    std::array<std::array<std::unique_ptr<Generator>, kMaxDevices>,
               kBackendCount>
        generators;
  };
  // Never destroyed: users' static variables may draw from it until the end.
  static Registry& registry = *new Registry;
  const std::lock_guard lock(registry.mutex);
  auto& found =
      registry.generators[static_cast<int>(wanted.backend())][wanted.index()];
  if (!found) found = std::make_unique<Generator>(wanted);
  return *found;
}

void seed(std::optional<uint64_t> seed, std::optional<Device> device) {
  generator(device).seed(seed);
}

Array uniform(double low, double high, const Shape& shape, Dtype dtype,
              std::optional<Device> device) {
  return generator(device).uniform(low, high, shape, dtype);
}

Array normal(double loc, double scale, const Shape& shape, Dtype dtype,
             std::optional<Device> device) {
  return generator(device).normal(loc, scale, shape, dtype);
}

Array randint(int64_t low, std::optional<int64_t> high, const Shape& shape,
              Dtype dtype, std::optional<Device> device) {
  return generator(device).randint(low, high, shape, dtype);
}

Array bernoulli(double p, const Shape& shape, Dtype dtype,
                std::optional<Device> device) {
  return generator(device).bernoulli(p, shape, dtype);
}

Array permutation(int64_t n, std::optional<Device> device) {
  return generator(device).permutation(n);
}

Array random_sample(const Shape& shape, Dtype dtype,
                    std::optional<Device> device) {
  return generator(device).random_sample(shape, dtype);
}

Array rand(const Shape& shape, Dtype dtype, std::optional<Device> device) {
  return generator(device).rand(shape, dtype);
}

Array standard_normal(const Shape& shape, Dtype dtype,
                      std::optional<Device> device) {
  return generator(device).standard_normal(shape, dtype);
}

Array randn(const Shape& shape, Dtype dtype, std::optional<Device> device) {
  return generator(device).randn(shape, dtype);
}

Array lognormal(double mean, double sigma, const Shape& shape, Dtype dtype,
                std::optional<Device> device) {
  return generator(device).lognormal(mean, sigma, shape, dtype);
}

Array random_integers(int64_t low, std::optional<int64_t> high,
                      const Shape& shape, Dtype dtype,
                      std::optional<Device> device) {
  return generator(device).random_integers(low, high, shape, dtype);
}

}  // namespace catena::array::random
