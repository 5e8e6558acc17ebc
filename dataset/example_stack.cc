#include "catena/dataset/example_stack.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/index.h"

namespace catena::dataset {
namespace {

// Throws IndexError unless `all` has `count` rows from `row` on.
void check_rows(const Example& all, int64_t row, int64_t count) {
  const int64_t rows = all[0].shape()[0];
  if (row < 0 || count > rows || row > rows - count) {
    raise<IndexError>("ExampleStack: expected rows from 0 to ", rows - 1,
                      ", got ", count, " from ", row, " on");
  }
}

// Copies `rows`, made contiguous, to `all`, starting at a row.
void copy_rows(const Array& all, int64_t row, const Array& rows) {
  if (rows.size() == 0) return;
  const int64_t row_bytes = all.nbytes() / all.shape()[0];
  std::memcpy(all.raw_data() + row * row_bytes, rows.raw_data(),
              static_cast<size_t>(rows.nbytes()));
}

}  // namespace

Array ExampleStack::allocate(const Shape& shape, Dtype dtype, Device device) {
  return array::empty(shape, dtype, device);
}

bool ExampleStack::is_stackable(const Example& example) {
  const auto is_native = [](const Field& field) {
    return !field.is_list() && field.array().device().shares_host_memory();
  };
  return example.size() > 0 && std::ranges::all_of(example, is_native);
}

ExampleStack::ExampleStack(const Example& first, int64_t count,
                           Allocate allocate) {
  Example::Fields fields;
  for (const Array& field : first) {
    Shape shape = field.shape();
    shape.insert(0, count);
    fields.push_back(allocate(shape, field.dtype(), field.device()));
  }
  stacked_ = Example(std::move(fields), first.names());
}

// Whether it matches a row, ignoring the first `leading_axes` axes.
bool ExampleStack::has_form(const Example& example, int leading_axes) const {
  if (example.size() != stacked_.size() ||
      !same_names(example.names(), stacked_.names())) {
    return false;
  }
  for (int64_t i = 0; i < example.size(); ++i) {
    if (example.fields()[i].is_list()) return false;
    const Array& field = example[i];
    const Array& rows = stacked_[i];
    if (field.dtype() != rows.dtype() || field.device() != rows.device() ||
        field.ndim() - leading_axes != rows.ndim() - 1 ||
        !std::equal(field.shape().begin() + leading_axes, field.shape().end(),
                    rows.shape().begin() + 1)) {
      return false;
    }
  }
  return true;
}

bool ExampleStack::set(int64_t row, const Example& example) const {
  if (!has_form(example, 0)) return false;
  check_rows(stacked_, row, 1);
  for (int64_t i = 0; i < example.size(); ++i) {
    copy_rows(stacked_[i], row, example[i].contiguous());
  }
  return true;
}

bool ExampleStack::set_rows(int64_t row, const Example& stacked) const {
  if (!has_form(stacked, 1)) return false;
  const int64_t count = stacked[0].shape()[0];
  for (const Array& field : stacked) {
    if (field.shape()[0] != count) return false;
  }
  check_rows(stacked_, row, count);
  for (int64_t i = 0; i < stacked.size(); ++i) {
    copy_rows(stacked_[i], row, stacked[i].contiguous());
  }
  return true;
}

}  // namespace catena::dataset
