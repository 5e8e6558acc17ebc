// Creation of arrays, numbers as text, and user-defined kernels.

#include <algorithm>

#include "catena/array/all.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

double as_double(int64_t n) { return static_cast<double>(n); }

ArgumentCases shapes() {
  using namespace array;  // NOLINT: each name would have it
  static float memory[16];
  return {
      {"array", "ndmin",
       [](int64_t n) {
         return array::array({1, 2}, {.ndmin = static_cast<int>(n)});
       }},
      {"array", "shape",
       [](const Shape& shape) {
         return array::array(std::vector<float>(12), shape);
       }},
      {"array::array_from", "ndmin",
       [](int64_t n) {
         return array_from(floats({2}), {.ndmin = static_cast<int>(n)});
       }},
      {"array::copy_from", "shape",
       [](const Shape& shape) {
         // No function can know how much memory there is.
         if (std::none_of(shape.begin(), shape.end(),
                          [](int64_t extent) { return extent <= 0; })) {
           return Array();
         }
         return copy_from(memory, shape, Dtype::kFloat32);
       }},
      {"array::copy_range", "count",
       [](int64_t n) {
         return copy_range(memory, n > 0 ? 0 : n, Dtype::kFloat32, std::nullopt,
                           std::nullopt);
       }},
      {"array::copy_range", "shape",
       [](const Shape& shape) {
         return copy_range(memory, 12, Dtype::kFloat32, shape, std::nullopt);
       }},
      {"array::empty", "shape",
       [](const Shape& shape) { return empty(shape, Dtype::kUInt8); }},
      {"array::empty_channels_last", "shape",
       [](const Shape& shape) {
         return empty_channels_last(shape, Dtype::kUInt8, native_device());
       }},
      // Not touched: no function can know how much memory there is.
      {"array::from_data", "shape",
       [](const Shape& shape) { from_data(memory, shape, Dtype::kFloat32); }},
      {"array::from_data", "strides",
       [](const Strides& strides) {
         from_data(memory, {2, 2}, Dtype::kFloat32, {.strides = strides});
       }},
      {"array::full", "shape",
       [](const Shape& shape) { return full(shape, 1, Dtype::kUInt8); }},
      {"array::ones", "shape",
       [](const Shape& shape) { return ones(shape, Dtype::kUInt8); }},
      {"array::zeros", "shape",
       [](const Shape& shape) { return zeros(shape, Dtype::kUInt8); }},
  };
}

ArgumentCases sequences() {
  using namespace array;  // NOLINT: each name would have it
  return {
      {"array::arange", "stop", [](int64_t n) { return arange(n); }},
      {"array::arange", "start", [](int64_t n) { return arange(n, 5); }},
      {"array::arange", "start",
       [](int64_t n) { return arange(n, INT64_MAX, 3); }},
      {"array::arange", "step", [](int64_t n) { return arange(0, 5, n); }},
      {"array::arange", "step",
       [](int64_t n) { return arange(INT64_MIN, INT64_MAX, n); }},
      {"array::eye", "N", [](int64_t n) { return eye(n); }},
      {"array::eye", "N", [](int64_t n) { return eye(n, 0); }},
      {"array::eye", "M", [](int64_t n) { return eye(2, n); }},
      {"array::eye", "k", [](int64_t n) { return eye(2, 3, {.k = n}); }},
      {"array::identity", "n", [](int64_t n) { return identity(n); }},
      {"array::linspace", "start",
       [](int64_t n) { return linspace(as_double(n), 1, 3); }},
      {"array::linspace", "stop",
       [](int64_t n) {
         return linspace(0, as_double(n), 3, {.dtype = Dtype::kInt64});
       }},
      {"array::linspace", "num", [](int64_t n) { return linspace(0, 1, n); }},
      {"array::linspace_with_step", "start",
       [](int64_t n) {
         return linspace_with_step(as_double(n), 1, 3).samples;
       }},
      {"array::linspace_with_step", "stop",
       [](int64_t n) {
         return linspace_with_step(0, as_double(n), 3).samples;
       }},
      {"array::linspace_with_step", "num",
       [](int64_t n) { return linspace_with_step(0, 1, n).samples; }},
      {"array::tri", "N", [](int64_t n) { return tri(n); }},
      {"array::tri", "M", [](int64_t n) { return tri(2, n); }},
      {"array::tri", "k", [](int64_t n) { return tri(2, 3, {.k = n}); }},
      {"array::base_repr", "number",
       [](int64_t n) { return base_repr(n, 36); }},
      {"array::base_repr", "base", [](int64_t n) { return base_repr(10, n); }},
      {"array::base_repr", "padding",
       [](int64_t n) { return base_repr(10, 2, n); }},
      {"array::binary_repr", "number",
       [](int64_t n) { return binary_repr(n, 70); }},
      {"array::binary_repr", "number",
       [](int64_t n) { return binary_repr(n); }},
      {"array::binary_repr", "width",
       [](int64_t n) { return binary_repr(-3, n); }},
  };
}

ArgumentCases kernels() {
  using namespace array;  // NOLINT: each name would have it
  // Their arguments are checked before anything is compiled.
  const auto elementwise = std::make_shared<ElementwiseKernel>(
      "raw T x", "T y", "y = x[0] + i", "extreme_sizes");
  const auto reduction = std::make_shared<ReductionKernel>(
      "T x", "T y", "x", "a + b", "y = a", "0", "extreme_axes");
  return {
      {"array::ElementwiseKernel::call", "size",
       [=](int64_t n) {
         return elementwise->call({floats({2})}, {.size = n});
       }},
      {"array::ElementwiseKernel::operator()", "size",
       [=](int64_t n) { return (*elementwise)({floats({2})}, {.size = n}); }},
      {"array::ElementwiseKernel::start_compiling", "size",
       [=](int64_t n) {
         elementwise->start_compiling({floats({2})}, {.size = n});
       }},
      {"array::ReductionKernel::call", "axis",
       [=](const Axes& axis) {
         return reduction->call({floats({2, 3})}, axis);
       }},
      {"array::ReductionKernel::operator()", "axis",
       [=](const Axes& axis) {
         return (*reduction)({floats({2, 3})}, axis);
       }},
      {"array::ReductionKernel::start_compiling", "axis",
       [=](const Axes& axis) {
         reduction->start_compiling({floats({2, 3})}, {.axis = axis});
       }},
      {"array::reduce", "axis",
       [](const Axes& axis) {
         return reduce([](float x, float y) { return x + y; }, 0.0f,
                       floats({2, 3}), axis);
       }},
  };
}

}  // namespace

ArgumentCases array_creation_cases() {
  ArgumentCases cases = shapes();
  for (const ArgumentCases& more : {sequences(), kernels()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
