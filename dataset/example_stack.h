#pragma once

#include <cstdint>

#include "catena/dataset/example.h"

namespace catena::dataset {

// Examples with the same number of fields, names, shapes and dtypes, copied to
// rows of arrays as they are read. Threads may set different rows at once.
class ExampleStack {
 public:
  using Allocate = Array (*)(const Shape& shape, Dtype dtype, Device device);

  // Uninitialized memory from the host's pool.
  static Array allocate(const Shape& shape, Dtype dtype, Device device);
  // Whether the example has fields, all of them arrays in host memory.
  static bool is_stackable(const Example& example);

  // For `count` examples with the format of `first`, which must be stackable.
  ExampleStack(const Example& first, int64_t count,
               Allocate allocate = &ExampleStack::allocate);

  // Copies the example to its row; if its format differs, does nothing and
  // returns false. Throws IndexError when there is no such row.
  bool set(int64_t row, const Example& example) const;
  // The same for several rows that are already stacked.
  bool set_rows(int64_t row, const Example& stacked) const;

  // One array of shape (count, ...) for each field.
  const Example& stacked() const { return stacked_; }

 private:
  bool has_form(const Example& example, int leading_axes) const;

  Example stacked_;
};

}  // namespace catena::dataset
