#include "catena/array/core/scalar.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "catena/array/core/error.h"

namespace catena {
namespace {

// Whether the integer type T holds the value; a float is truncated, as in
// NumPy, but must be in range.
template <class T>
bool holds(Scalar scalar) {
  using Limits = std::numeric_limits<T>;
  switch (scalar.kind()) {
    case DtypeKind::kBool:
      return true;
    case DtypeKind::kUInt:
      return scalar.as<uint64_t>() <= static_cast<uint64_t>(Limits::max());
    case DtypeKind::kInt: {
      const auto value = scalar.as<int64_t>();
      if (value < 0) {
        return std::is_signed_v<T> &&
               value >= static_cast<int64_t>(Limits::min());
      }
      return static_cast<uint64_t>(value) <=
             static_cast<uint64_t>(Limits::max());
    }
    case DtypeKind::kFloat: {
      const double value = std::trunc(scalar.as<double>());
      return value >= static_cast<double>(Limits::min()) &&
             value < std::ldexp(1.0, Limits::digits);
    }
  }
  return false;
}

}  // namespace

Dtype Scalar::dtype() const {
  switch (kind_) {
    case DtypeKind::kBool:
      return Dtype::kBool;
    case DtypeKind::kInt:
      return Dtype::kInt64;
    case DtypeKind::kUInt:
      return Dtype::kUInt64;
    case DtypeKind::kFloat:
      return Dtype::kFloat64;
  }
  return Dtype::kFloat64;
}

Dtype Scalar::promoted_with(Dtype dtype) const {
  const auto rank = [](DtypeKind kind) {
    return kind == DtypeKind::kUInt ? DtypeKind::kInt : kind;
  };
  if (rank(kind_) <= rank(kind_of(dtype))) return dtype;
  // Unsigned C++ numbers count as integers, since Python has only one kind.
  return kind_ == DtypeKind::kUInt ? Dtype::kInt64 : this->dtype();
}

void Scalar::store(void* item, Dtype dtype, std::string_view operation) const {
  visit_dtype(dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!holds<T>(*this)) {
        raise<DtypeError>(operation, ": expected a number that ", dtype,
                          " can hold, got ", *this);
      }
    }
    const T value = as<T>();
    std::memcpy(item, &value, sizeof(T));
  });
}

std::string to_string(Scalar scalar) {
  switch (scalar.kind()) {
    case DtypeKind::kBool:
      return scalar.as<bool>() ? "true" : "false";
    case DtypeKind::kInt:
      return std::to_string(scalar.as<int64_t>());
    case DtypeKind::kUInt:
      return std::to_string(scalar.as<uint64_t>());
    case DtypeKind::kFloat:
      return message_text(scalar.as<double>());
  }
  return {};
}

}  // namespace catena
