#include "catena/tests/numbers/number_comparison.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include "catena/array/core/error.h"
#include "catena/array/kernels/kernel_type.h"

namespace catena::testing {
namespace {

// The position of a float among all floats of its type: neighbours differ by
// one, and 0 and -0 have one position.
template <class Float>
int64_t position_of(Float value) {
  using Bits = std::make_signed_t<array::BitsOf<Float>>;
  const auto bits = std::bit_cast<Bits>(value);
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  return bits < 0 ? -static_cast<int64_t>(bits ^ kSign) : bits;
}

template <class T>
bool equals(T actual, T expected, const Closeness& closeness) {
  if constexpr (std::is_integral_v<T>) {
    return actual == expected;
  } else {
    const auto a = static_cast<double>(actual);
    const auto b = static_cast<double>(expected);
    if (a != a || b != b) return a != a && b != b;
    if (a == 0 && b == 0) {
      return closeness.any_zero || std::signbit(a) == std::signbit(b);
    }
    // The distance of the two ends wraps around.
    const uint64_t distance = static_cast<uint64_t>(position_of(actual)) -
                              static_cast<uint64_t>(position_of(expected));
    const auto limit = static_cast<uint64_t>(closeness.ulps);
    return distance <= limit || ~distance + 1 <= limit;
  }
}

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_integral_v<T>) {
    return message_text(value);
  } else {
    return message_text(static_cast<double>(value));
  }
}

template <class T>
std::string first_difference(const Array& actual, const Array& expected,
                             const Closeness& closeness) {
  const T* const a = actual.data<T>();
  const T* const b = expected.data<T>();
  for (int64_t i = 0; i < actual.size(); ++i) {
    if (equals(a[i], b[i], closeness)) continue;
    return str("element ", i, " of ", actual.size(), " is ", text_of(a[i]),
               ", expected ", text_of(b[i]));
  }
  return "";
}

}  // namespace

std::string difference(const Array& actual, const Array& expected,
                       const Closeness& closeness) {
  if (!actual.defined()) return "undefined";
  if (actual.dtype() != expected.dtype()) {
    return str("dtype ", actual.dtype(), ", expected ", expected.dtype());
  }
  if (actual.shape() != expected.shape()) {
    return str("shape ", actual.shape(), ", expected ", expected.shape());
  }
  return visit_dtype(expected.dtype(), [&](auto tag) {
    return first_difference<decltype(tag)>(
        actual.to_device(native_device()).contiguous(), expected.contiguous(),
        closeness);
  });
}

}  // namespace catena::testing
