#pragma once

#include <initializer_list>
#include <type_traits>

#include "catena/array/dtype.h"
#include "catena/array/scalar.h"

namespace catena {

// An argument that is a number or nested braces of numbers: array::array({{1,
// 2}, {3, 4}}). It refers to temporaries, so it must not outlive the call.
class NestedList {
 public:
  NestedList() = default;
  NestedList(std::initializer_list<NestedList> items) : items_(items) {}
  // A C++ int counts as int64, as Python's integers do in NumPy; every other
  // type keeps its own dtype.
  template <Element T>
  NestedList(T value)
      : is_number_(true),
        dtype_(std::is_same_v<T, int> ? Dtype::kInt64 : dtype_of<T>),
        number_(value) {}

  bool is_number() const { return is_number_; }
  Dtype dtype() const { return dtype_; }
  Scalar number() const { return number_; }
  const NestedList* begin() const { return items_.begin(); }
  const NestedList* end() const { return items_.end(); }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }

 private:
  std::initializer_list<NestedList> items_;
  bool is_number_ = false;
  Dtype dtype_ = Dtype::kFloat64;
  Scalar number_;
};

}  // namespace catena
