// Indices into arrays: by integers, slices and arrays, in each mode.

#include "catena/array/all.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

using array::IndexMode;

constexpr std::array<IndexMode, 4> kModes = {
    IndexMode::kRaise, IndexMode::kWrap, IndexMode::kClip, IndexMode::kSkip};

ArgumentCases positions() {
  const Array a = floats({3, 4});
  return {
      {"array::add_at", "indexes",
       [=](const Array& at) {
         array::add_at(a.copy(), {at, 1}, 1);
       }},
      {"array::add_at", "indexes",
       [=](int64_t n) { array::add_at(a.copy(), {n}, 1); }},
      {"array::add_at", "indexes",
       [=](const Slice& slice) {
         array::add_at(a.copy(), {0, slice}, 1);
       }},
      {"array::basic_index", "indexes",
       [=](int64_t n) {
         const std::vector<Index> indexes = {n, newaxis, n};
         return array::basic_index(a, indexes);
       }},
      {"array::basic_index", "indexes",
       [=](const Slice& slice) {
         const std::vector<Index> indexes = {slice, slice};
         return array::basic_index(a, indexes);
       }},
      {"array::getitem", "indexes",
       [=](const Array& at) { return array::getitem(a, {at}); }},
      {"array::getitem", "indexes",
       [=](const Array& at) {
         return array::getitem(a, {ellipsis, at});
       }},
      {"array::getitem", "indexes",
       [=](const Array& at) {
         return array::getitem(a, {at, labels({3})});
       }},
      {"array::getitem", "indexes",
       [=](int64_t n) {
         return array::getitem(a, {labels({2}), n});
       }},
      {"array::getitem", "indexes",
       [=](const Slice& slice) {
         return array::getitem(a, {labels({2}), slice});
       }},
      {"array::setitem", "indexes",
       [=](const Array& at) { array::setitem(a.copy(), {at}, 1); }},
      {"array::setitem", "indexes",
       [=](int64_t n) {
         array::setitem(a.copy(), {n, labels({2})}, 1);
       }},
      {"array::setitem", "indexes",
       [=](const Slice& slice) { array::setitem(a.copy(), {slice}, 1); }},
      {"array::slice_positions", "slice",
       [=](const Slice& slice) {
         array::slice_positions("slice_positions", slice, 4);
       }},
      {"array::slice_positions", "size",
       [=](int64_t n) {
         if (n < 0) return;  // no sequence has such a size
         array::slice_positions("slice_positions", Slice(-1, 0, -1), n);
         array::slice_positions("slice_positions", Slice(0, n, 3), n);
       }},
      {"array::choose", "index",
       [=](const Array& at) {
         return array::choose(at, {a[0], a[1]});
       }},
      {"array::choose", "index",
       [=](const Array& at) {
         return array::choose(at, {floats({3}), floats({3})});
       }},
      {"array::compress", "axis",
       [=](int64_t n) { return array::compress(labels({3}), a, n); }},
      {"array::put_along_axis", "indices",
       [=](const Array& at) {
         array::put_along_axis(a.copy(), at.reshape({3, 1}), 1, 1);
       }},
      {"array::put_along_axis", "axis",
       [=](int64_t n) {
         array::put_along_axis(a.copy(), labels({3, 4}), 1, n);
       }},
      {"array::take_along_axis", "indices",
       [=](const Array& at) {
         return array::take_along_axis(a, at.reshape({3, 1}), 1);
       }},
      {"array::take_along_axis", "axis",
       [=](int64_t n) {
         return array::take_along_axis(a, labels({3, 4}), n);
       }},
      {"array::unravel_index", "positions",
       [=](const Array& at) {
         return array::unravel_index(at, {3, 4});
       }},
      {"array::unravel_index", "shape",
       [=](const Shape& shape) {
         return array::unravel_index(labels({2}), shape);
       }},
      {"array::ravel_multi_index", "shape",
       [=](const Shape& shape) {
         return array::ravel_multi_index({labels({2}), labels({2})}, shape);
       }},
  };
}

// Each mode handles indices outside the array by itself.
ArgumentCases in_mode(IndexMode mode) {
  const Array a = floats({3, 4});
  return {
      {"array::choose", "index",
       [=](const Array& at) {
         return array::choose(at, {floats({3}), floats({3})}, {.mode = mode});
       }},
      {"array::take", "indices",
       [=](const Array& at) { return array::take(a, at, {.mode = mode}); }},
      {"array::take", "indices",
       [=](const Array& at) {
         return array::take(a, at, {.axis = 1, .mode = mode});
       }},
      {"array::take", "indices",
       [=](const Array& at) {
         return array::take(floats({0}), at, {.mode = mode});
       }},
      {"array::take", "axis",
       [=](int64_t n) {
         return array::take(a, labels({2}), {.axis = n, .mode = mode});
       }},
      {"array::put", "indices",
       [=](const Array& at) { array::put(a.copy(), at, 1, {.mode = mode}); }},
      {"array::scatter_add", "indices",
       [=](const Array& at) {
         array::scatter_add(a.copy(), at, 0, 1, {.mode = mode});
       }},
      {"array::scatter_add", "axis",
       [=](int64_t n) {
         array::scatter_add(a.copy(), labels({2}), n, 1, {.mode = mode});
       }},
      {"array::scatter_update", "indices",
       [=](const Array& at) {
         array::scatter_update(a.copy(), at, 1, 1, {.mode = mode});
       }},
      {"array::scatter_update", "axis",
       [=](int64_t n) {
         array::scatter_update(a.copy(), labels({2}), n, 1, {.mode = mode});
       }},
      {"array::ravel_multi_index", "indices",
       [=](const Array& at) {
         return array::ravel_multi_index({at, labels({3})}, {3, 4},
                                         {.mode = mode});
       }},
      {"array::ravel_multi_index", "indices",
       [=](const Array& at) {
         return array::ravel_multi_index({at, at}, {INT64_C(1) << 31, 4},
                                         {.mode = mode});
       }},
  };
}

}  // namespace

ArgumentCases array_indexing_cases() {
  ArgumentCases cases = positions();
  for (const IndexMode mode : kModes) {
    const ArgumentCases more = in_mode(mode);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
