#pragma once

#include <bit>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "catena/array/core/float16.h"

namespace catena {

// The element types, in the order of NumPy's kinds: bool, signed, unsigned,
// floating. The numeric values are stable; they may be stored.
enum class Dtype : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
};
inline constexpr int kDtypeCount = 13;

// NumPy's dtype kinds, by which C++ numbers are promoted.
enum class DtypeKind : uint8_t { kBool, kInt, kUInt, kFloat };

// The bytes of an element.
constexpr int64_t item_size(Dtype dtype) {
  constexpr int8_t kSizes[kDtypeCount] = {1, 1, 2, 4, 8, 1, 2,
                                          4, 8, 2, 2, 4, 8};
  return kSizes[static_cast<int>(dtype)];
}

// The kind by which a dtype is promoted.
constexpr DtypeKind kind_of(Dtype dtype) {
  if (dtype == Dtype::kBool) return DtypeKind::kBool;
  if (dtype <= Dtype::kInt64) return DtypeKind::kInt;
  if (dtype <= Dtype::kUInt64) return DtypeKind::kUInt;
  return DtypeKind::kFloat;
}

// bool is neither.
constexpr bool is_floating(Dtype dtype) {
  return kind_of(dtype) == DtypeKind::kFloat;
}
constexpr bool is_integral(Dtype dtype) {
  return kind_of(dtype) == DtypeKind::kInt ||
         kind_of(dtype) == DtypeKind::kUInt;
}

// NumPy's name: "bool", "int8", ..., "float64"; "bfloat16" for bfloat16.
std::string_view dtype_name(Dtype dtype);

// The dtype with this name or NumPy type string ("f4", "<i8", "?"). Throws
// DtypeError when there is none.
Dtype dtype_from_name(std::string_view name);

// NumPy's name: "float32".
inline std::string to_string(Dtype dtype) {
  return std::string(dtype_name(dtype));
}
std::ostream& operator<<(std::ostream& os, Dtype dtype);

// NumPy 1.x's result dtype for two arrays: the smallest that holds both (int8
// and uint8 give int16, int32 and float32 give float64). bfloat16, which NumPy
// lacks, promotes with float16 to float32, and with bool and 8-bit integers to
// bfloat16.
Dtype promote(Dtype a, Dtype b);

// Which casts are allowed: NumPy's casting= argument.
enum class Casting : uint8_t {
  kNo,        // none
  kEquiv,     // as kNo, since there is only one byte order
  kSafe,      // value-preserving: promote(from, to) == to
  kSameKind,  // also within a kind, or up from bool to unsigned, signed
              // and floating
  kUnsafe,    // all
};
bool can_cast(Dtype from, Dtype to, Casting casting = Casting::kSafe);

// The C++ type of a dtype and back.
template <class T>
constexpr Dtype dtype_of_type() {
  if constexpr (std::is_same_v<T, bool>) {
    return Dtype::kBool;
  } else if constexpr (std::is_same_v<T, float16>) {
    return Dtype::kFloat16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return Dtype::kBFloat16;
  } else if constexpr (std::is_same_v<T, float>) {
    return Dtype::kFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Dtype::kFloat64;
  } else {
    static_assert(std::is_integral_v<T>, "no dtype for this type");
    constexpr int kLog = std::bit_width(sizeof(T)) - 1;
    return static_cast<Dtype>((std::is_signed_v<T> ? 1 : 5) + kLog);
  }
}
template <class T>
inline constexpr Dtype dtype_of = dtype_of_type<T>();

template <class T>
concept Element = std::is_arithmetic_v<T> || std::is_same_v<T, float16> ||
    std::is_same_v<T, bfloat16>;

// A list of element types for tables of kernels.
template <class... Ts>
struct TypeList {};

template <class... Ts, class... Us>
TypeList<Ts..., Us...> operator+(TypeList<Ts...>, TypeList<Us...>) {
  return {};
}

// The C++ types of dtypes, by kind.
using BoolTypes = TypeList<bool>;
using IntTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t>;
using FloatTypes = TypeList<float16, bfloat16, float, double>;
using NumberTypes = decltype(IntTypes{} + FloatTypes{});
using AllTypes = decltype(BoolTypes{} + NumberTypes{});

// Calls f(T{}) with the C++ type of dtype; f is a generic lambda. For code that
// runs once per call (printing, filling, reading files), never inside a loop.
template <class F>
decltype(auto) visit_dtype(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::kBool:
      return f(bool{});
    case Dtype::kInt8:
      return f(int8_t{});
    case Dtype::kInt16:
      return f(int16_t{});
    case Dtype::kInt32:
      return f(int32_t{});
    case Dtype::kInt64:
      return f(int64_t{});
    case Dtype::kUInt8:
      return f(uint8_t{});
    case Dtype::kUInt16:
      return f(uint16_t{});
    case Dtype::kUInt32:
      return f(uint32_t{});
    case Dtype::kUInt64:
      return f(uint64_t{});
    case Dtype::kFloat16:
      return f(float16{});
    case Dtype::kBFloat16:
      return f(bfloat16{});
    case Dtype::kFloat32:
      return f(float{});
    case Dtype::kFloat64:
      return f(double{});
  }
  __builtin_unreachable();
}

}  // namespace catena
