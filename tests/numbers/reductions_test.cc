// Reductions, scans, sorting, searching and statistics of NaN, infinities,
// zeros of both signs, extremes of integers, no elements and single ones, along
// each axis.

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/all.h"
#include "catena/tests/numbers/numpy_calls.h"

namespace catena::testing {
namespace {

namespace xp = catena::array;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A routine of an array and an axis or none.
template <class F>
NumpyRoutine along_axis(F f, const Closeness& closeness = {}) {
  return {[f](const NumpyCall& call, const Arrays& in) -> Arrays {
            std::optional<Axis> axis;
            if (const auto given = call.optional<int64_t>("axis")) {
              axis = *given;
            }
            return {f(in[0], axis)};
          },
          closeness};
}

// A routine of an array, or of two.
template <class F>
NumpyRoutine whole(F f, const Closeness& closeness = {}) {
  return {[f](const NumpyCall&, const Arrays& in) -> Arrays {
            if constexpr (std::is_invocable_v<F, const Array&>) {
              return {f(in[0])};
            } else {
              return {f(in[0], in[1])};
            }
          },
          closeness};
}

Array number(bool value) { return xp::full({}, value); }

NumpyRoutines routines() {
  // Sums are rounded once here, and NumPy's at each step.
  const Closeness rounded = {.ulps = 16};
  using Axes = std::optional<Axis>;
  using A = const Array&;
  NumpyRoutines rows;
  rows["sum"] = along_axis([](A a, Axes x) { return xp::sum(a, x); }, rounded);
  rows["prod"] =
      along_axis([](A a, Axes x) { return xp::prod(a, x); }, rounded);
  rows["mean"] =
      along_axis([](A a, Axes x) { return xp::mean(a, x); }, rounded);
  rows["average"] =
      along_axis([](A a, Axes x) { return xp::average(a, x); }, rounded);
  rows["var"] = along_axis([](A a, Axes x) { return xp::var(a, x); }, rounded);
  rows["std"] = along_axis([](A a, Axes x) { return xp::std(a, x); }, rounded);
  rows["cumsum"] =
      along_axis([](A a, Axes x) { return xp::cumsum(a, x); }, rounded);
  rows["cumprod"] =
      along_axis([](A a, Axes x) { return xp::cumprod(a, x); }, rounded);
  // NumPy's mean of one -0 is 0.
  rows["median"] = along_axis([](A a, Axes x) { return xp::median(a, x); },
                              {.ulps = 1, .any_zero = true});
  // Between two elements of opposite sign, their difference is rounded.
  rows["percentile"] = along_axis(
      [](A a, Axes x) {
        return xp::percentile(a, std::vector<double>{0, 30, 100}, x);
      },
      {.ulps = 64, .any_zero = true});
  // Which of 0 and -0 comes first depends in NumPy on the processor; here, -0
  // is sorted before 0.
  const Closeness equal_zeros = {.any_zero = true};
  rows["amin"] =
      along_axis([](A a, Axes x) { return xp::amin(a, x); }, equal_zeros);
  rows["amax"] =
      along_axis([](A a, Axes x) { return xp::amax(a, x); }, equal_zeros);
  rows["sort"] =
      along_axis([](A a, Axes x) { return xp::sort(a, x); }, equal_zeros);
  rows["msort"] = whole([](A a) { return xp::msort(a); }, equal_zeros);
  rows["unique"] = whole([](A a) { return xp::unique(a); }, equal_zeros);
  rows["argmin"] = along_axis([](A a, Axes x) { return xp::argmin(a, x); });
  rows["argmax"] = along_axis([](A a, Axes x) { return xp::argmax(a, x); });
  rows["ptp"] = along_axis([](A a, Axes x) { return xp::ptp(a, x); });
  rows["all"] = along_axis([](A a, Axes x) { return xp::all(a, x); });
  rows["any"] = along_axis([](A a, Axes x) { return xp::any(a, x); });
  rows["count_nonzero"] =
      along_axis([](A a, Axes x) { return xp::count_nonzero(a, x); });
  rows["argsort"] = along_axis([](A a, Axes x) { return xp::argsort(a, x); });

  rows["flatnonzero"] = whole([](A a) { return xp::flatnonzero(a); });
  rows["argwhere"] = whole([](A a) { return xp::argwhere(a); });
  rows["diff"] = whole([](A a) { return xp::diff(a); });
  rows["trace"] = whole([](A a) { return xp::trace(a); }, rounded);
  rows["norm"] = whole([](A a) { return xp::linalg::norm(a); }, rounded);
  rows["norm_0"] =
      whole([](A a) { return xp::linalg::norm(a, {.ord = 0}); }, rounded);
  rows["norm_1"] =
      whole([](A a) { return xp::linalg::norm(a, {.ord = 1}); }, rounded);
  rows["norm_inf"] = whole(
      [](A a) { return xp::linalg::norm(a, {.ord = kInfinity}); }, rounded);
  rows["bincount"] = whole([](A a) { return xp::bincount(a); });
  rows["isclose"] = whole([](A a, A b) { return xp::isclose(a, b); });
  rows["allclose"] = whole([](A a, A b) { return number(xp::allclose(a, b)); });
  rows["array_equal"] =
      whole([](A a, A b) { return number(xp::array_equal(a, b)); });
  rows["nonzero"] = {
      [](const NumpyCall&, const Arrays& in) { return xp::nonzero(in[0]); }};
  rows["searchsorted"] = {
      [](const NumpyCall& call, const Arrays& in) -> Arrays {
        const bool left = call.get<std::string>("side") == "left";
        return {xp::searchsorted(
            in[0], in[1], {.side = left ? xp::Side::kLeft : xp::Side::kRight})};
      }};
  return rows;
}

// NumPy's, but the percentiles 0 and 100 are the extremes, as is that of a
// single element.
Array percentiles_of(const NumpyCall& call) {
  const Array& a = call.inputs[0];
  std::optional<Axis> axis;
  if (const auto given = call.optional<int64_t>("axis")) axis = *given;
  const Array low = xp::amin(a, axis);
  const Array numpys = call.outputs[0].astype(a.dtype());
  const bool is_single = low.size() == a.size();
  return xp::stack(
      {low, is_single ? low : Array(numpys[1]), xp::amax(a, axis)});
}

std::vector<NumpyDifference> reduction_differences() {
  return {
      {"percentiles have the dtype of their elements, and those that are an"
       " element are it, even if infinite",
       "NumPy computes inf - inf for these, and widens several percentiles but"
       " not one",
       [](const NumpyCall& call) {
         return call.routine == "percentile" && call.error.empty() &&
                is_floating(call.inputs[0].dtype());
       },
       [](const NumpyCall& call) -> Arrays { return {percentiles_of(call)}; }},
      {"there are percentiles of bool, as of integers",
       "NumPy has no difference of two bools",
       [](const NumpyCall& call) {
         return call.routine == "percentile" && call.error == "TypeError";
       },
       [](const NumpyCall& call) -> Arrays {
         std::optional<Axis> axis;
         if (const auto given = call.optional<int64_t>("axis")) axis = *given;
         return {xp::percentile(call.inputs[0].astype(Dtype::kInt8),
                                std::vector<double>{0, 30, 100}, axis)};
       }},
      {"averages along an axis of an array without elements have none",
       "as those of mean; NumPy divides by the size of the result",
       [](const NumpyCall& call) {
         return call.routine == "average" && call.error == "ZeroDivisionError";
       },
       [](const NumpyCall& call) -> Arrays {
         return {xp::mean(call.inputs[0], call.get<int64_t>("axis"))};
       }},
  };
}

TEST(ReductionsTest, GiveWhatNumpyGives) {
  expect_numpys_results("reductions", routines(), reduction_differences());
}

}  // namespace
}  // namespace catena::testing
