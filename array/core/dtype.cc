#include "catena/array/core/dtype.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "catena/array/core/error.h"

namespace catena {
namespace {

constexpr std::array<std::string_view, kDtypeCount> kNames = {
    "bool",   "int8",   "int16",   "int32",    "int64",   "uint8",  "uint16",
    "uint32", "uint64", "float16", "bfloat16", "float32", "float64"};

// NumPy's type strings; bfloat16 has none.
constexpr std::array<std::string_view, kDtypeCount> kCodes = {
    "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "", "f4", "f8"};

Dtype signed_of_size(int64_t size) {
  return size == 1   ? Dtype::kInt8
         : size == 2 ? Dtype::kInt16
         : size == 4 ? Dtype::kInt32
                     : Dtype::kInt64;
}

// The smallest float that holds every value of an integer dtype or, as in
// NumPy, float64 if none does.
Dtype float_for(Dtype integer) {
  const int64_t size = item_size(integer);
  return size == 1   ? Dtype::kFloat16
         : size == 2 ? Dtype::kFloat32
                     : Dtype::kFloat64;
}

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  return kNames[static_cast<int>(dtype)];
}

Dtype dtype_from_name(std::string_view name) {
  std::string_view code = name;
  if (!code.empty() &&
      std::string_view("<>|=").find(code.front()) != std::string_view::npos) {
    code.remove_prefix(1);
  }
  for (int i = 0; i < kDtypeCount; ++i) {
    if (name == kNames[i] || (!kCodes[i].empty() && code == kCodes[i])) {
      return static_cast<Dtype>(i);
    }
  }
  if (code == "?") return Dtype::kBool;
  raise<DtypeError>(
      "dtype: expected one of bool, int8 to int64, uint8 to "
      "uint64, float16, bfloat16, float32, float64, got '",
      name, "'");
}

std::ostream& operator<<(std::ostream& os, Dtype dtype) {
  return os << dtype_name(dtype);
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (kind_of(a) > kind_of(b)) std::swap(a, b);  // b has the wider kind
  if (kind_of(a) == DtypeKind::kBool) return b;
  if (is_floating(a)) {  // both are
    if (item_size(a) == 2 && item_size(b) == 2) return Dtype::kFloat32;
    return item_size(a) > item_size(b) ? a : b;
  }
  if (is_floating(b)) {
    const Dtype min = float_for(a);
    // 8-bit integers fit any float; wider ones promote both 16-bit floats.
    return item_size(min) <= item_size(b) ? b : min;
  }
  if (kind_of(a) == kind_of(b)) return item_size(a) > item_size(b) ? a : b;
  // Signed with unsigned gives a signed type wider than the unsigned one.
  if (item_size(a) > item_size(b)) return a;
  if (item_size(b) == 8) return Dtype::kFloat64;
  return signed_of_size(2 * item_size(b));
}

bool can_cast(Dtype from, Dtype to, Casting casting) {
  const auto rank = [](DtypeKind kind) {
    // Unsigned integers rank between bool and signed ones.
    return kind == DtypeKind::kInt    ? DtypeKind::kUInt
           : kind == DtypeKind::kUInt ? DtypeKind::kInt
                                      : kind;
  };
  switch (casting) {
    case Casting::kNo:
    case Casting::kEquiv:
      return from == to;
    case Casting::kSafe:
      return promote(from, to) == to;
    case Casting::kSameKind:
      return promote(from, to) == to ||
             rank(kind_of(from)) <= rank(kind_of(to));
    case Casting::kUnsafe:
      return true;
  }
  return false;
}

}  // namespace catena
