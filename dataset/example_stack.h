#pragma once

#include <cstdint>

#include "catena/dataset/example.h"

namespace catena::dataset {

// Examples of one form - as many fields, the same names, shapes, dtypes - that
// are put together as rows of arrays while they are read. Threads may set
// different rows at once.
class ExampleStack {
 public:
  using Allocate = Array (*)(const Shape& shape, Dtype dtype, Device device);

  // Uninitialized memory of the host's pool.
  static Array allocate(const Shape& shape, Dtype dtype, Device device);
  // Whether there is anything to stack, and all of it is in the host's memory.
  static bool is_stackable(const Example& example);

  // For `count` examples of the form of `first`, which is stackable.
  ExampleStack(const Example& first, int64_t count,
               Allocate allocate = &ExampleStack::allocate);

  // Copies the example to its row; false, and nothing is done, when it has
  // another form.
  bool set(int64_t row, const Example& example) const;
  // The same for rows that are stacked already.
  bool set_rows(int64_t row, const Example& stacked) const;

  // The arrays: (count, ...) of each field.
  const Example& stacked() const { return stacked_; }

 private:
  bool has_form(const Example& example, int leading_axes) const;

  Example stacked_;
};

}  // namespace catena::dataset
