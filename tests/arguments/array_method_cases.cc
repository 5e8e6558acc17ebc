// Methods of arrays.

#include "catena/array/all.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

ArgumentCases reductions() {
  const Array a = floats({3, 4});
  return {
      {"Array::all", "axis", [=](const Axes& axis) { return a.all(axis); }},
      {"Array::any", "axis", [=](const Axes& axis) { return a.any(axis); }},
      {"Array::argmax", "axis", [=](int64_t n) { return a.argmax(n); }},
      {"Array::argmin", "axis", [=](int64_t n) { return a.argmin(n); }},
      {"Array::argsort", "axis", [=](int64_t n) { return a.argsort(n); }},
      {"Array::cumprod", "axis", [=](int64_t n) { return a.cumprod(n); }},
      {"Array::cumsum", "axis", [=](int64_t n) { return a.cumsum(n); }},
      {"Array::max", "axis", [=](const Axes& axis) { return a.max(axis); }},
      {"Array::mean", "axis", [=](const Axes& axis) { return a.mean(axis); }},
      {"Array::min", "axis", [=](const Axes& axis) { return a.min(axis); }},
      {"Array::prod", "axis", [=](const Axes& axis) { return a.prod(axis); }},
      {"Array::ptp", "axis", [=](const Axes& axis) { return a.ptp(axis); }},
      {"Array::sort", "axis", [=](int64_t n) { return a.copy().sort(n); }},
      {"Array::std", "axis", [=](const Axes& axis) { return a.std(axis); }},
      {"Array::std", "ddof", [=](int64_t n) { return a.std({.ddof = n}); }},
      {"Array::sum", "axis", [=](const Axes& axis) { return a.sum(axis); }},
      {"Array::var", "axis", [=](const Axes& axis) { return a.var(axis); }},
      {"Array::var", "ddof", [=](int64_t n) { return a.var({.ddof = n}); }},
  };
}

ArgumentCases views() {
  const Array a = floats({3, 4});
  const Array ones = floats({1, 4, 1});
  return {
      {"Array::broadcast_to", "shape",
       [=](const Shape& shape) { return ones.broadcast_to(shape); }},
      {"Array::diagonal", "offset", [=](int64_t n) { return a.diagonal(n); }},
      {"Array::diagonal", "axis1", [=](int64_t n) { return a.diagonal(0, n); }},
      {"Array::diagonal", "axis2",
       [=](int64_t n) { return a.diagonal(0, 0, n); }},
      {"Array::expand_dims", "axis",
       [=](int64_t n) { return a.expand_dims(n); }},
      {"Array::operator[]", "index", [=](int64_t n) { return Array(a[n]); }},
      {"Array::operator[]", "indexes",
       [=](int64_t n) {
         return Array(a[{0, n}]);
       }},
      {"Array::operator[]", "indexes",
       [=](const Slice& slice) {
         return Array(a[{slice, 0}]);
       }},
      {"Array::repeat", "repeats", [=](int64_t n) { return a.repeat(n); }},
      {"Array::repeat", "repeats", [=](int64_t n) { return a.repeat(n, 0); }},
      {"Array::repeat", "axis", [=](int64_t n) { return a.repeat(2, n); }},
      {"Array::reshape", "shape",
       [=](const Shape& shape) { return a.reshape(shape); }},
      {"Array::reshape", "shape", [=](int64_t n) { return a.reshape(n, 2); }},
      {"Array::squeeze", "axis",
       [=](const Axes& axis) { return ones.squeeze(axis); }},
      {"Array::swapaxes", "axis1", [=](int64_t n) { return a.swapaxes(n, 0); }},
      {"Array::swapaxes", "axis2", [=](int64_t n) { return a.swapaxes(0, n); }},
      {"Array::take", "indices",
       [=](const Array& indices) { return a.take(indices); }},
      {"Array::take", "axis",
       [=](int64_t n) { return a.take(labels({2}), n); }},
      {"Array::trace", "offset",
       [=](int64_t n) { return a.trace({.offset = n}); }},
      {"Array::trace", "axis1",
       [=](int64_t n) { return a.trace({.axis1 = n}); }},
      {"Array::trace", "axis2",
       [=](int64_t n) { return a.trace({.axis2 = n}); }},
      {"Array::transpose", "axes",
       [=](const Axes& axes) { return a.transpose(axes); }},
      {"Array::transpose", "axes",
       [=](int64_t n) { return a.transpose(0, n); }},
  };
}

}  // namespace

ArgumentCases array_method_cases() {
  ArgumentCases cases = reductions();
  const ArgumentCases more = views();
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

}  // namespace catena::testing
