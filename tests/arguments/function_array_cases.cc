// Functions that move, repeat, join, split and index.

#include "catena/array/all.h"
#include "catena/functions/functions.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

namespace F = functions;

std::vector<int64_t> list_of(const Shape& values) {
  return {values.begin(), values.end()};
}

ArgumentCases axes() {
  const auto x = [] { return variable({3, 4}); };
  return {
      {"functions::concat", "axis",
       [=](int64_t n) {
         return F::concat({x(), x()}, n);
       }},
      {"functions::diagonal", "offset",
       [=](int64_t n) { return F::diagonal(x(), {.offset = n}); }},
      {"functions::diagonal", "axis1",
       [=](int64_t n) { return F::diagonal(x(), {.axis1 = n}); }},
      {"functions::diagonal", "axis2",
       [=](int64_t n) { return F::diagonal(x(), {.axis2 = n}); }},
      {"functions::expand_dims", "axis",
       [=](int64_t n) { return F::expand_dims(x(), n); }},
      {"functions::flip", "axis", [=](int64_t n) { return F::flip(x(), n); }},
      {"functions::moveaxis", "source",
       [=](int64_t n) { return F::moveaxis(x(), n, 0); }},
      {"functions::moveaxis", "source",
       [=](const Axes& source) {
         return F::moveaxis(x(), source, {0, 1});
       }},
      {"functions::moveaxis", "destination",
       [=](int64_t n) { return F::moveaxis(x(), 0, n); }},
      {"functions::moveaxis", "destination",
       [=](const Axes& to) {
         return F::moveaxis(x(), {0, 1}, to);
       }},
      {"functions::rollaxis", "axis",
       [=](int64_t n) { return F::rollaxis(x(), n); }},
      {"functions::rollaxis", "start",
       [=](int64_t n) { return F::rollaxis(x(), 1, n); }},
      {"functions::separate", "axis",
       [=](int64_t n) { return F::separate(x(), n); }},
      {"functions::squeeze", "axis",
       [](const Axes& axis) {
         return F::squeeze(variable({1, 3, 1}), axis);
       }},
      {"functions::stack", "axis",
       [=](int64_t n) {
         return F::stack({x(), x()}, n);
       }},
      {"functions::swapaxes", "axis1",
       [=](int64_t n) { return F::swapaxes(x(), n, 0); }},
      {"functions::swapaxes", "axis2",
       [=](int64_t n) { return F::swapaxes(x(), 0, n); }},
      {"functions::transpose", "axes",
       [=](const Axes& axes) { return F::transpose(x(), axes); }},
  };
}

ArgumentCases shapes() {
  const auto x = [] { return variable({3, 4}); };
  return {
      {"functions::as_strided", "shape",
       [=](const Shape& shape) {
         return F::as_strided(x(), shape, Strides::filled(shape.size(), 0));
       }},
      {"functions::as_strided", "shape",
       [=](const Shape& shape) {
         return F::as_strided(x(), shape, Strides::filled(shape.size(), 1));
       }},
      {"functions::as_strided", "strides",
       [=](const Strides& strides) {
         return F::as_strided(x(), Shape::filled(strides.size(), 2), strides);
       }},
      {"functions::as_strided", "strides",
       [=](const Strides& strides) {
         return F::as_strided(x(), Shape::filled(strides.size(), 2), strides,
                              {.storage_offset = 5});
       }},
      {"functions::as_strided", "storage_offset",
       [=](int64_t n) {
         return F::as_strided(x(), {2, 2}, {4, 1}, {.storage_offset = n});
       }},
      {"functions::as_strided", "storage_offset",
       [=](int64_t n) {
         return F::as_strided(x(), {0}, {1}, {.storage_offset = n});
       }},
      {"functions::broadcast_to", "shape",
       [](const Shape& shape) {
         return F::broadcast_to(variable({1}), shape);
       }},
      {"functions::reshape", "shape",
       [=](const Shape& shape) { return F::reshape(x(), shape); }},
      {"functions::sum_to", "shape",
       [=](const Shape& shape) { return F::sum_to(x(), shape); }},
      {"functions::depth2space", "r",
       [](int64_t n) {
         return F::depth2space(variable({1, 4, 2, 2}), n);
       }},
      {"functions::space2depth", "r",
       [](int64_t n) {
         return F::space2depth(variable({1, 4, 2, 2}), n);
       }},
      {"functions::pad", "width", [=](int64_t n) { return F::pad(x(), n); }},
      {"functions::pad", "pad_width",
       [=](int64_t n) {
         return F::pad(x(), {{n, 0}, {0, n}});
       }},
      {"functions::pad", "pad_width",
       [=](int64_t n) {
         return F::pad(x(), {{0, n}}, {.mode = array::PadMode::kSymmetric});
       }},
      {"functions::pad_sequence", "length",
       [=](int64_t n) { return F::pad_sequence({x()}, {.length = n}); }},
      {"functions::repeat", "repeats",
       [=](int64_t n) { return F::repeat(x(), n); }},
      {"functions::repeat", "repeats",
       [=](int64_t n) { return F::repeat(x(), n, 1); }},
      {"functions::repeat", "repeats",
       [](const Shape& repeats) {
         return F::repeat(variable({2, 2}), list_of(repeats), 0);
       }},
      {"functions::repeat", "axis",
       [=](int64_t n) { return F::repeat(x(), 2, n); }},
      {"functions::tile", "reps", [=](int64_t n) { return F::tile(x(), n); }},
      {"functions::tile", "reps",
       [=](const Shape& reps) { return F::tile(x(), reps); }},
      {"functions::split_axis", "sections",
       [=](int64_t n) { return F::split_axis(x(), n, 1); }},
      {"functions::split_axis", "axis",
       [=](int64_t n) { return F::split_axis(x(), 1, n); }},
      {"functions::split_axis", "indices",
       [=](const Shape& at) { return F::split_axis(x(), list_of(at), 0); }},
  };
}

ArgumentCases indices() {
  const auto x = [] { return variable({3, 4}); };
  return {
      {"functions::get_item", "indexes",
       [=](int64_t n) { return F::get_item(x(), {n}); }},
      {"functions::get_item", "indexes",
       [=](int64_t n) {
         return F::get_item(x(), {labels({2}), n});
       }},
      {"functions::get_item", "indexes",
       [=](const Slice& slice) { return F::get_item(x(), {slice}); }},
      {"functions::get_item", "indexes",
       [=](const Slice& slice) {
         return F::get_item(x(), {labels({2}), slice});
       }},
      {"functions::get_item", "indexes",
       [=](const Slice& slice) {
         const std::vector<Index> indexes = {0, slice};
         return F::get_item(x(), indexes);
       }},
      {"functions::get_item", "indexes",
       [=](const Array& at) {
         return F::get_item(x(), {Slice(), at});
       }},
      {"functions::get_item", "indices",
       [=](const Array& at) { return F::get_item(x(), at); }},
      {"functions::get_item", "axis",
       [=](int64_t n) { return F::get_item(x(), labels({2}), n); }},
      {"functions::permutate", "indices",
       [=](const Array& at) { return F::permutate(x(), at); }},
      {"functions::permutate", "indices",
       [=](const Array& at) { return F::permutate(x(), at, {.inv = true}); }},
      {"functions::permutate", "axis",
       [=](int64_t n) { return F::permutate(x(), labels({3}), n); }},
      {"functions::scatter_add", "slices",
       [=](int64_t n) { return F::scatter_add(x(), {n}, variable({4})); }},
      {"functions::scatter_add", "slices",
       [=](const Slice& slice) {
         return F::scatter_add(x(), {slice}, variable({1}));
       }},
      {"functions::scatter_add", "slices",
       [=](const Array& at) {
         return F::scatter_add(x(), {at}, variable({3, 4}));
       }},
      {"functions::select_item", "t",
       [=](const Array& t) { return F::select_item(x(), t); }},
  };
}

}  // namespace

ArgumentCases function_array_cases() {
  ArgumentCases cases = axes();
  for (const ArgumentCases& more : {shapes(), indices()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
