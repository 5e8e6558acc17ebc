// Functions that move, repeat, join and split arrays, and linear algebra.

#include "catena/array/all.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

using array::array_split;
using array::delete_;
using array::insert;
using array::split;

std::vector<int64_t> list_of(const Shape& values) {
  return {values.begin(), values.end()};
}

ArgumentCases axes() {
  const Array a = floats({3, 4});
  return {
      {"array::append", "axis",
       [=](int64_t n) { return array::append(a, a, n); }},
      {"array::concatenate", "axis",
       [=](int64_t n) {
         return array::concatenate({a, a}, n);
       }},
      {"array::diagonal", "offset",
       [=](int64_t n) { return array::diagonal(a, n); }},
      {"array::diagonal", "axis1",
       [=](int64_t n) { return array::diagonal(a, 0, n); }},
      {"array::diagonal", "axis2",
       [=](int64_t n) { return array::diagonal(a, 0, 0, n); }},
      {"array::flip", "axis",
       [=](const Axes& axis) { return array::flip(a, axis); }},
      {"array::moveaxis", "source",
       [=](int64_t n) { return array::moveaxis(a, n, 0); }},
      {"array::moveaxis", "source",
       [=](const Axes& source) {
         return array::moveaxis(a, source, {0, 1});
       }},
      {"array::moveaxis", "destination",
       [=](int64_t n) { return array::moveaxis(a, 0, n); }},
      {"array::moveaxis", "destination",
       [=](const Axes& to) {
         return array::moveaxis(a, {0, 1}, to);
       }},
      {"array::roll", "shift", [=](int64_t n) { return array::roll(a, n); }},
      {"array::roll", "shift", [=](int64_t n) { return array::roll(a, n, 0); }},
      {"array::roll", "shifts",
       [=](const Shape& shifts) {
         return array::roll(a, shifts, {0, 1});
       }},
      {"array::roll", "axis",
       [=](const Axes& axis) { return array::roll(a, 1, axis); }},
      {"array::rollaxis", "axis",
       [=](int64_t n) { return array::rollaxis(a, n); }},
      {"array::rollaxis", "start",
       [=](int64_t n) { return array::rollaxis(a, 1, n); }},
      {"array::rot90", "k", [=](int64_t n) { return array::rot90(a, n); }},
      {"array::rot90", "axes",
       [=](const Axes& axes) { return array::rot90(a, 1, axes); }},
      {"array::stack", "axis",
       [=](int64_t n) {
         return array::stack({a, a}, n);
       }},
      {"array::swapaxes", "axis1",
       [=](int64_t n) { return array::swapaxes(a, n, 0); }},
      {"array::swapaxes", "axis2",
       [=](int64_t n) { return array::swapaxes(a, 0, n); }},
      {"array::trace", "offset",
       [=](int64_t n) { return array::trace(a, {.offset = n}); }},
      {"array::trace", "axis1",
       [=](int64_t n) { return array::trace(a, {.axis1 = n}); }},
      {"array::trace", "axis2",
       [=](int64_t n) { return array::trace(a, {.axis2 = n}); }},
  };
}

ArgumentCases sizes() {
  const Array a = floats({3, 4});
  const Array line = floats({3});
  return {
      {"array::diag", "k", [=](int64_t n) { return array::diag(line, n); }},
      {"array::diag", "k", [=](int64_t n) { return array::diag(a, n); }},
      {"array::diagflat", "k",
       [=](int64_t n) { return array::diagflat(line, n); }},
      {"array::diff", "n", [=](int64_t n) { return array::diff(a, n); }},
      {"array::diff", "axis", [=](int64_t n) { return array::diff(a, 1, n); }},
      {"array::pad", "width", [=](int64_t n) { return array::pad(a, n); }},
      {"array::pad", "width",
       [=](int64_t n) {
         return array::pad(line, n, {.mode = array::PadMode::kReflect});
       }},
      {"array::pad", "width",
       [=](int64_t n) {
         return array::pad(floats({0}), n, {.mode = array::PadMode::kWrap});
       }},
      {"array::pad", "widths",
       [=](int64_t n) {
         return array::pad(a, {{n, 0}, {0, 1}});
       }},
      {"array::pad", "widths",
       [=](int64_t n) {
         return array::pad(a, {{0, n}, {n, n}});
       }},
      {"array::repeat", "repeats",
       [=](int64_t n) { return array::repeat(a, n); }},
      {"array::repeat", "repeats",
       [=](const Shape& repeats) {
         return array::repeat(floats({2, 2}), repeats, 0);
       }},
      {"array::repeat", "axis",
       [=](int64_t n) { return array::repeat(a, 2, n); }},
      {"array::tile", "reps",
       [=](const Shape& reps) { return array::tile(a, reps); }},
      {"array::tril", "k", [=](int64_t n) { return array::tril(a, n); }},
      {"array::triu", "k", [=](int64_t n) { return array::triu(a, n); }},
  };
}

ArgumentCases parts() {
  const Array a = floats({3, 4});
  const Array cube = floats({2, 2, 4});
  return {
      {"array::array_split", "sections",
       [=](int64_t n) { return array_split(a, n); }},
      {"array::array_split", "axis",
       [=](int64_t n) { return array_split(a, 2, n); }},
      {"array::array_split", "indices",
       [=](const Shape& at) { return array_split(a, list_of(at)); }},
      {"array::split", "sections", [=](int64_t n) { return split(a, n); }},
      {"array::split", "axis", [=](int64_t n) { return split(a, 3, n); }},
      {"array::split", "indices",
       [=](const Shape& at) { return split(a, list_of(at)); }},
      {"array::dsplit", "sections",
       [=](int64_t n) { return array::dsplit(cube, n); }},
      {"array::dsplit", "indices",
       [=](int64_t n) {
         return array::dsplit(cube, {1, n});
       }},
      {"array::hsplit", "sections",
       [=](int64_t n) { return array::hsplit(cube, n); }},
      {"array::hsplit", "indices",
       [=](int64_t n) {
         return array::hsplit(cube, {n, 1});
       }},
      {"array::vsplit", "sections",
       [=](int64_t n) { return array::vsplit(cube, n); }},
      {"array::vsplit", "indices",
       [=](int64_t n) {
         return array::vsplit(cube, {n, n});
       }},
      {"array::delete_", "indices",
       [=](const Shape& at) { return delete_(a, list_of(at)); }},
      {"array::delete_", "indices",
       [=](const Shape& at) { return delete_(a, list_of(at), 0); }},
      {"array::delete_", "axis", [=](int64_t n) { return delete_(a, {1}, n); }},
      {"array::insert", "indices",
       [=](const Shape& at) { return insert(a, list_of(at), 0); }},
      {"array::insert", "indices",
       [=](const Shape& at) { return insert(a, list_of(at), 0, 1); }},
      {"array::insert", "axis",
       [=](int64_t n) { return insert(a, {1}, 0, n); }},
  };
}

ArgumentCases products() {
  const Array a = floats({3, 3});
  const Array cube = floats({2, 3, 2, 3});
  return {
      {"array::cross", "axisa",
       [=](int64_t n) { return array::cross(a, a, {.axisa = n}); }},
      {"array::cross", "axisb",
       [=](int64_t n) { return array::cross(a, a, {.axisb = n}); }},
      {"array::cross", "axisc",
       [=](int64_t n) { return array::cross(a, a, {.axisc = n}); }},
      {"array::cross", "axis",
       [=](int64_t n) { return array::cross(a, a, {.axis = n}); }},
      {"array::linalg::matrix_power", "n",
       [=](int64_t n) { return array::linalg::matrix_power(a, n); }},
      {"array::linalg::norm", "axis",
       [=](const Axes& axis) {
         return array::linalg::norm(cube, {.axis = axis});
       }},
      {"array::linalg::tensorinv", "ind",
       [=](int64_t n) { return array::linalg::tensorinv(cube, n); }},
      {"array::tensordot", "axes",
       [=](int64_t n) { return array::tensordot(a, a, n); }},
      {"array::tensordot", "a_axes",
       [=](const Axes& axes) { return array::tensordot(a, a, axes, {0}); }},
      {"array::tensordot", "a_axes",
       [=](const Axes& axes) {
         return array::tensordot(a, a, axes, {0, 1});
       }},
      {"array::tensordot", "b_axes",
       [=](const Axes& axes) {
         return array::tensordot(a, a, {0, 1}, axes);
       }},
  };
}

}  // namespace

ArgumentCases array_manipulation_cases() {
  ArgumentCases cases = axes();
  for (const ArgumentCases& more : {sizes(), parts(), products()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
