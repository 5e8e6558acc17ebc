// Reductions, sorting, scans and statistics of arrays.

#include "catena/array/all.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

using AxesFunction = std::function<Array(const Array& a, const Axes& axis)>;
using AxisFunction = std::function<Array(const Array& a, int64_t axis)>;

// Reductions along several axes, for an array of each kind of dtype.
ArgumentCases along_axes() {
  const std::vector<std::pair<std::string, AxesFunction>> functions = {
      {"all", [](auto& a, auto& axis) { return array::all(a, axis); }},
      {"amax", [](auto& a, auto& axis) { return array::amax(a, axis); }},
      {"amin", [](auto& a, auto& axis) { return array::amin(a, axis); }},
      {"any", [](auto& a, auto& axis) { return array::any(a, axis); }},
      {"count_nonzero",
       [](auto& a, auto& axis) { return array::count_nonzero(a, axis); }},
      {"max", [](auto& a, auto& axis) { return array::max(a, axis); }},
      {"mean", [](auto& a, auto& axis) { return array::mean(a, axis); }},
      {"median", [](auto& a, auto& axis) { return array::median(a, axis); }},
      {"min", [](auto& a, auto& axis) { return array::min(a, axis); }},
      {"percentile",
       [](auto& a, auto& axis) { return array::percentile(a, 50, axis); }},
      {"prod", [](auto& a, auto& axis) { return array::prod(a, axis); }},
      {"ptp", [](auto& a, auto& axis) { return array::ptp(a, axis); }},
      {"quantile",
       [](auto& a, auto& axis) { return array::quantile(a, 0.5, axis); }},
      {"std", [](auto& a, auto& axis) { return array::std(a, axis); }},
      {"sum", [](auto& a, auto& axis) { return array::sum(a, axis); }},
      {"sum_of_squares",
       [](auto& a, auto& axis) { return array::sum_of_squares(a, axis); }},
      {"var", [](auto& a, auto& axis) { return array::var(a, axis); }},
  };
  ArgumentCases cases;
  for (const auto& [name, function] : functions) {
    for (const Array& a : {floats({3, 4}), labels({2, 3, 2})}) {
      cases.push_back({"array::" + name, "axis",
                       [a = a, function = function](const Axes& axis) {
                         return function(a, axis);
                       }});
    }
  }
  return cases;
}

ArgumentCases along_one_axis() {
  const std::vector<std::pair<std::string, AxisFunction>> functions = {
      {"argmax", [](auto& a, int64_t axis) { return array::argmax(a, axis); }},
      {"argmin", [](auto& a, int64_t axis) { return array::argmin(a, axis); }},
      {"argpartition",
       [](auto& a, int64_t axis) { return array::argpartition(a, 1, axis); }},
      {"argsort",
       [](auto& a, int64_t axis) { return array::argsort(a, axis); }},
      {"average",
       [](auto& a, int64_t axis) { return array::average(a, axis); }},
      {"cumprod",
       [](auto& a, int64_t axis) { return array::cumprod(a, axis); }},
      {"cumsum", [](auto& a, int64_t axis) { return array::cumsum(a, axis); }},
      {"partition",
       [](auto& a, int64_t axis) { return array::partition(a, 1, axis); }},
      {"sort", [](auto& a, int64_t axis) { return array::sort(a, axis); }},
  };
  ArgumentCases cases;
  for (const auto& [name, function] : functions) {
    for (const Array& a : {floats({3, 4}), labels({2, 3, 2})}) {
      cases.push_back({"array::" + name, "axis",
                       [a = a, function = function](int64_t axis) {
                         return function(a, axis);
                       }});
    }
  }
  return cases;
}

ArgumentCases others() {
  const Array a = floats({3, 4});
  return {
      {"array::argpartition", "kth",
       [=](int64_t n) { return array::argpartition(a, n); }},
      {"array::partition", "kth",
       [=](int64_t n) { return array::partition(a, n); }},
      {"array::bincount", "x",
       [=](const Array& x) { return array::bincount(x); }},
      {"array::bincount", "minlength",
       [=](int64_t n) {
         return array::bincount(labels({3}), {.minlength = n});
       }},
      {"array::histogram", "bins",
       [=](int64_t n) { return array::histogram(a, {.bins = n}).hist; }},
      {"array::std", "ddof",
       [=](int64_t n) { return array::std(a, {.ddof = n}); }},
      {"array::var", "ddof",
       [=](int64_t n) { return array::var(a, {.ddof = n}); }},
  };
}

}  // namespace

ArgumentCases array_reduction_cases() {
  ArgumentCases cases = along_axes();
  for (const ArgumentCases& more : {along_one_axis(), others()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
