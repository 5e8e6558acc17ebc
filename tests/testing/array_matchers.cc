#include "catena/tests/testing/array_matchers.h"

#include <cmath>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

Array on_host(const Array& a) {
  return a.to_device(native_device()).contiguous();
}

template <class T>
bool equals(T actual, T expected, Tolerance tolerance) {
  if constexpr (std::is_integral_v<T>) {
    return actual == expected;
  } else {
    const auto a = static_cast<double>(actual);
    const auto b = static_cast<double>(expected);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;
    return std::isfinite(a) && std::isfinite(b) &&
           std::abs(a - b) <= tolerance.atol + tolerance.rtol * std::abs(b);
  }
}

// Floats with all digits, and int8 as a number rather than a character.
template <class T>
std::string text_of(T value) {
  if constexpr (std::is_integral_v<T>) {
    return message_text(value);
  } else {
    return message_text(static_cast<double>(value));
  }
}

// The index of the element at `position` in C order.
Shape index_at(const Shape& shape, int64_t position) {
  Shape index = shape;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

template <class T>
bool compare(const Array& actual, const Array& expected, Tolerance tolerance,
             std::ostream* explanation) {
  constexpr int64_t kMaxShown = 5;
  const T* const a = actual.data<T>();
  const T* const b = expected.data<T>();
  int64_t different = 0;
  std::string shown;
  for (int64_t i = 0; i < actual.size(); ++i) {
    if (equals(a[i], b[i], tolerance)) continue;
    if (different++ < kMaxShown) {
      shown += str("\n  at ", index_at(actual.shape(), i), ": ", text_of(a[i]),
                   ", expected ", text_of(b[i]));
    }
  }
  if (different > 0 && explanation != nullptr) {
    *explanation << different << " of " << actual.size() << " elements differ"
                 << shown << (different > kMaxShown ? "\n  ..." : "");
  }
  return different == 0;
}

}  // namespace

Tolerance default_tolerance(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return {.rtol = 5e-3, .atol = 5e-3};
    case Dtype::kBFloat16:
      return {.rtol = 2e-2, .atol = 2e-2};
    case Dtype::kFloat32:
      return {.rtol = 1e-4, .atol = 1e-5};
    case Dtype::kFloat64:
      return {.rtol = 1e-10, .atol = 1e-10};
    default:
      return {};
  }
}

ArrayMatcher::ArrayMatcher(Array expected, Tolerance tolerance)
    : expected_(on_host(expected)), tolerance_(tolerance) {}

bool ArrayMatcher::MatchAndExplain(const Array& actual,
                                   std::ostream* explanation) const {
  const auto mismatch = [&](const auto&... parts) {
    if (explanation != nullptr) (*explanation << ... << parts);
    return false;
  };
  if (!actual.defined()) return mismatch("which is undefined");
  if (actual.dtype() != expected_.dtype()) {
    return mismatch("whose dtype is ", actual.dtype(), ", expected ",
                    expected_.dtype());
  }
  if (actual.shape() != expected_.shape()) {
    return mismatch("whose shape is ", actual.shape(), ", expected ",
                    expected_.shape());
  }
  const Array host = on_host(actual);
  return visit_dtype(host.dtype(), [&](auto tag) {
    return compare<decltype(tag)>(host, expected_, tolerance_, explanation);
  });
}

void ArrayMatcher::DescribeTo(std::ostream* os) const {
  *os << "is an array of dtype " << expected_.dtype() << " and shape "
      << expected_.shape() << ", within rtol " << tolerance_.rtol
      << " and atol " << tolerance_.atol << " of\n"
      << expected_;
}

void ArrayMatcher::DescribeNegationTo(std::ostream* os) const {
  *os << "not: ";
  DescribeTo(os);
}

ArrayMatcher IsArray(const Array& expected) { return {expected, {}}; }

ArrayMatcher IsClose(const Array& expected) {
  return {expected, default_tolerance(expected.dtype())};
}

ArrayMatcher IsClose(const Array& expected, Tolerance tolerance) {
  return {expected, tolerance};
}

}  // namespace catena::testing
