#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include "catena/array/core/dtype.h"

namespace catena {

// A C++ number next to an array. It is weak, as Python's numbers are in NumPy:
// it takes the array's dtype unless its kind is higher (a double next to an
// int32 array gives float64, next to a float16 array float16).
class Scalar {
 public:
  constexpr Scalar() : Scalar(0) {}
  template <std::integral T>
  constexpr Scalar(T value)
      : kind_(std::is_same_v<T, bool> ? DtypeKind::kBool
              : std::is_signed_v<T>   ? DtypeKind::kInt
                                      : DtypeKind::kUInt),
        int_(static_cast<int64_t>(value)) {}
  template <std::floating_point T>
  constexpr Scalar(T value)
      : kind_(DtypeKind::kFloat), float_(static_cast<double>(value)) {}
  constexpr Scalar(float16 value) : Scalar(static_cast<float>(value)) {}
  constexpr Scalar(bfloat16 value) : Scalar(static_cast<float>(value)) {}

  constexpr DtypeKind kind() const { return kind_; }
  // bool, int64, uint64 or float64, by the number's kind.
  Dtype dtype() const;
  // The result dtype of this number with an array of `dtype`.
  Dtype promoted_with(Dtype dtype) const;

  template <class T>
  constexpr T as() const {
    if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
      return T(kind_ == DtypeKind::kFloat ? internal::round_to_odd(float_)
                                          : as<float>());
    } else {
      switch (kind_) {
        case DtypeKind::kFloat:
          return static_cast<T>(float_);
        case DtypeKind::kUInt:
          return static_cast<T>(static_cast<uint64_t>(int_));
        default:
          return static_cast<T>(int_);
      }
    }
  }

  // Writes the number as one item of `dtype`. Throws DtypeError naming
  // `operation` when an integer dtype cannot hold it.
  void store(void* item, Dtype dtype, std::string_view operation) const;

 private:
  DtypeKind kind_;
  union {
    int64_t int_;
    double float_;
  };
};

// "true", "1", "0.5".
std::string to_string(Scalar scalar);

}  // namespace catena
