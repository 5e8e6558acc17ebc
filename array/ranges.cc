// Arrays of evenly spaced values. They are computed on the host, in the order
// of operations that gives NumPy's exact values, and then copied.

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena::array {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

bool is_integer(Scalar x) { return x.kind() != DtypeKind::kFloat; }

// start + i * step for i = 0, 1, ...: in integers wide enough for all values,
// or in floating point.
class Progression {
 public:
  Progression(Scalar start, Scalar stop, Scalar step)
      : exact_(is_integer(start) && is_integer(stop) && is_integer(step)),
        start_(start),
        step_(step) {
    length_ = exact_ ? exact_length(stop) : real_length(stop);
  }

  bool exact() const { return exact_; }
  int64_t length() const { return length_; }

  Scalar operator[](int64_t i) const {
    if (!exact_) {
      return start_.as<double>() + static_cast<double>(i) * step_.as<double>();
    }
    const __int128 value = wide(start_) + i * wide(step_);
    if (value > kMax) return static_cast<uint64_t>(value);
    return static_cast<int64_t>(value);
  }

 private:
  static __int128 wide(Scalar x) {
    return x.kind() == DtypeKind::kUInt ? __int128{x.as<uint64_t>()}
                                        : __int128{x.as<int64_t>()};
  }

  int64_t exact_length(Scalar stop) const {
    const __int128 step = wide(step_);
    const __int128 distance = wide(stop) - wide(start_);
    if (distance == 0 || (distance > 0) != (step > 0)) return 0;
    const __int128 length = (distance + step - (step > 0 ? 1 : -1)) / step;
    return length > kMax ? kMax : static_cast<int64_t>(length);
  }

  int64_t real_length(Scalar stop) const {
    const double distance = stop.as<double>() - start_.as<double>();
    const double length = std::ceil(distance / step_.as<double>());
    if (!std::isfinite(start_.as<double>()) ||
        !std::isfinite(stop.as<double>()) ||
        !std::isfinite(step_.as<double>())) {
      raise<ValueError>("arange: expected finite start, stop and step, got ",
                        start_, ", ", stop, " and ", step_);
    }
    if (length <= 0) return 0;
    return length < 0x1p63 ? static_cast<int64_t>(length) : kMax;
  }

  bool exact_;
  Scalar start_;
  Scalar step_;
  int64_t length_;
};

// As in NumPy, the step is the difference of the first two values in the
// precision of the dtype.
template <class T>
void fill_evenly(T* values, int64_t length, T first, T second) {
  if constexpr (std::is_same_v<T, bool>) {
    if (length > 0) values[0] = first;
    if (length > 1) values[1] = second;
  } else if constexpr (std::is_integral_v<T>) {
    const auto wrap = [](T value) {
      return static_cast<uint64_t>(static_cast<int64_t>(value));
    };
    const uint64_t start = wrap(first);
    const uint64_t step = wrap(second) - start;
    for (int64_t i = 0; i < length; ++i) {
      values[i] = static_cast<T>(start + static_cast<uint64_t>(i) * step);
    }
  } else {
    using Compute = std::conditional_t<sizeof(T) == 2, float, T>;
    const auto start = static_cast<Compute>(first);
    const Compute step = static_cast<Compute>(second) - start;
    for (int64_t i = 0; i < length; ++i) {
      values[i] = static_cast<T>(start + static_cast<Compute>(i) * step);
    }
  }
}

}  // namespace

Array arange(Scalar stop, std::optional<Dtype> dtype,
             std::optional<Device> device) {
  return arange(0, stop, 1, dtype, device);
}

Array arange(Scalar start, Scalar stop, Scalar step, std::optional<Dtype> dtype,
             std::optional<Device> device) {
  if (step.as<double>() == 0) {
    raise<ValueError>("arange: expected a step other than 0 from ", start,
                      " to ", stop);
  }
  const Progression progression(start, stop, step);
  const int64_t length = progression.length();
  const Dtype own =
      dtype.value_or(progression.exact() ? Dtype::kInt64 : Dtype::kFloat64);
  if (own == Dtype::kBool && length > 2) {
    raise<DtypeError>("arange: expected at most 2 values of bool, got ",
                      length);
  }
  checked_size({length}, item_size(own), "arange");
  alignas(8) char last[8];
  if (length > 0) progression[length - 1].store(last, own, "arange");
  const Array host = empty({length}, own, native_device());
  visit_dtype(own, [&](auto tag) {
    using T = decltype(tag);
    const auto value = [&](int64_t i) {
      T item{};
      if (i < length) progression[i].store(&item, own, "arange");
      return item;
    };
    fill_evenly(host.data<T>(), length, value(0), value(1));
  });
  return host.to_device(device.value_or(current_device()));
}

Array linspace(double start, double stop, int64_t num,
               const LinspaceOptions& options) {
  return linspace_with_step(start, stop, num, options).samples;
}

LinspaceResult linspace_with_step(double start, double stop, int64_t num,
                                  const LinspaceOptions& options) {
  if (num < 0) {
    raise<ValueError>("linspace: expected num of at least 0, got ", num);
  }
  const Array host = empty({num}, Dtype::kFloat64, native_device());
  auto* values = host.data<double>();
  const int64_t intervals = options.endpoint ? num - 1 : num;
  const double distance = stop - start;
  const double step = distance / static_cast<double>(intervals);
  for (int64_t i = 0; i < num; ++i) {
    // A step that underflows would lose the distance: multiply first.
    const double way = step != 0
                           ? static_cast<double>(i) * step
                           : static_cast<double>(i) /
                                 static_cast<double>(intervals) * distance;
    values[i] = i == 0 ? start : start + way;
    if (is_integral(options.dtype)) values[i] = std::floor(values[i]);
  }
  if (options.endpoint && num > 1) {
    values[num - 1] = is_integral(options.dtype) ? std::floor(stop) : stop;
  }
  return {
      .samples = host.astype(options.dtype, Array::CopyPolicy::kIfNeeded)
                     .to_device(options.device.value_or(current_device())),
      .step = intervals > 0 ? step : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace catena::array
