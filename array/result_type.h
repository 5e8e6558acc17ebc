#pragma once

#include <concepts>
#include <span>

#include "catena/array/array.h"

// The promotion rules of dtype.h and scalar.h under NumPy's names.
namespace catena::array {

using catena::can_cast;
using catena::Casting;

// An argument of result_type: a dtype, an array, which stands for its dtype, or
// a number, which is weak.
class DtypeSource {
 public:
  DtypeSource(Dtype dtype) : dtype_(dtype), is_number_(false) {}
  DtypeSource(const Array& array) : DtypeSource(array.dtype()) {}
  template <class T>
  requires Element<T> DtypeSource(T number) : DtypeSource(Scalar(number)) {}
  DtypeSource(Scalar number) : number_(number), is_number_(true) {}

  bool is_number() const { return is_number_; }
  Dtype dtype() const { return dtype_; }
  Scalar number() const { return number_; }

 private:
  Dtype dtype_ = Dtype::kBool;
  Scalar number_;
  bool is_number_;
};

// The dtype to which arrays, numbers and dtypes promote, as in NumPy.
Dtype result_type(std::span<const DtypeSource> sources);

// The dtype of add(a, b, ...) for arrays of these dtypes and these numbers:
// result_type(a, Dtype::kInt8, 2.5).
template <std::convertible_to<DtypeSource>... Sources>
requires(sizeof...(Sources) > 0) Dtype result_type(const Sources&... sources) {
  const DtypeSource list[] = {DtypeSource(sources)...};
  return result_type(std::span<const DtypeSource>(list));
}

}  // namespace catena::array
