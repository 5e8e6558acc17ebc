#pragma once

#include <memory>
#include <optional>
#include <ranges>

#include "catena/array/array.h"
#include "catena/array/nested_list.h"

// New arrays, with NumPy's names and defaults (dtype defaults to float64), in C
// order on `device`, which defaults to the current one. All throw ShapeError on
// a negative extent or too many bytes, OutOfMemoryError, and DeviceError when
// there is no such device.
namespace catena::array {

// Filled with 0, with 1, with a number. The dtype of full() defaults to the
// number's own; DtypeError when an integer dtype cannot hold it.
Array zeros(const Shape& shape, Dtype dtype = Dtype::kFloat64,
            std::optional<Device> device = std::nullopt);
Array ones(const Shape& shape, Dtype dtype = Dtype::kFloat64,
           std::optional<Device> device = std::nullopt);
Array full(const Shape& shape, Scalar value,
           std::optional<Dtype> dtype = std::nullopt,
           std::optional<Device> device = std::nullopt);

// The same with the shape and device of `a`; the dtype defaults to its own.
Array zeros_like(const Array& a, std::optional<Dtype> dtype = std::nullopt);
Array ones_like(const Array& a, std::optional<Dtype> dtype = std::nullopt);
Array full_like(const Array& a, Scalar value,
                std::optional<Dtype> dtype = std::nullopt);

// start, start + step, ... up to but without stop: ceil((stop - start) / step)
// values. The dtype defaults to int64 when all three are integers, else
// float64. ValueError when step is 0 or a bound is not finite, ShapeError when
// there are too many values, DtypeError when the dtype cannot hold one.
Array arange(Scalar stop, std::optional<Dtype> dtype = std::nullopt,
             std::optional<Device> device = std::nullopt);
Array arange(Scalar start, Scalar stop, Scalar step = 1,
             std::optional<Dtype> dtype = std::nullopt,
             std::optional<Device> device = std::nullopt);

struct LinspaceOptions {
  bool endpoint = true;  // whether stop is the last value
  Dtype dtype = Dtype::kFloat64;
  std::optional<Device> device = std::nullopt;
};
// `num` evenly spaced values from start to stop; an integer dtype rounds them
// down. ValueError when num is negative.
Array linspace(double start, double stop, int64_t num = 50,
               const LinspaceOptions& options = {});

struct EyeOptions {
  int64_t k = 0;  // the diagonal; above the main one when positive
  Dtype dtype = Dtype::kFloat64;
  std::optional<Device> device = std::nullopt;
};
// An (N, M) matrix of 0 with 1 on a diagonal; M defaults to N.
Array eye(int64_t N, std::optional<int64_t> M = std::nullopt,
          const EyeOptions& options = {});
Array identity(int64_t n, Dtype dtype = Dtype::kFloat64,
               std::optional<Device> device = std::nullopt);

// From a number or nested braces: array({{1, 2}, {3, 4}}). The dtype
// defaults to what the numbers promote to (int literals are int64). ShapeError
// when lists of one level differ in length.
Array array(const NestedList& values, std::optional<Dtype> dtype = std::nullopt,
            std::optional<Device> device = std::nullopt);

// A copy of memory in C order: `values` has an item of T for each element.
Array copy_from(const void* values, const Shape& shape, Dtype dtype,
                std::optional<Device> device = std::nullopt);

// A copy of a std::vector, std::span, std::array: one-dimensional, or in C
// order under `shape`. ShapeError when the sizes differ.
template <std::ranges::contiguous_range Range>
requires Element<std::ranges::range_value_t<Range>> Array
array(const Range& values, std::optional<Shape> shape = std::nullopt,
      std::optional<Device> device = std::nullopt);

struct FromDataOptions {
  // Keeps the memory alive as long as an array refers to it, and frees it then.
  // Without one the memory is borrowed: it has to outlive every such array.
  std::shared_ptr<void> owner = nullptr;
  // Bytes between neighbours along each axis, from the first element; C order
  // when absent.
  std::optional<Strides> strides = std::nullopt;
  // Where the memory is.
  Device device = native_device();
};
// An array over memory of somebody else; writing to it writes there. ValueError
// when `data` is null or it or a stride is not aligned to the dtype's size.
Array from_data(void* data, const Shape& shape, Dtype dtype,
                const FromDataOptions& options = {});

// The array itself, or the number as a 0-d array, cast and moved only when a
// dtype or device is given that it does not have.
Array asarray(const Operand& a, std::optional<Dtype> dtype = std::nullopt,
              std::optional<Device> device = std::nullopt);
// The same in C order, with at least one axis.
Array ascontiguousarray(const Operand& a,
                        std::optional<Dtype> dtype = std::nullopt);

// Implementation of the template above.
Array copy_range(const void* values, int64_t count, Dtype dtype,
                 const std::optional<Shape>& shape,
                 std::optional<Device> device);

template <std::ranges::contiguous_range Range>
requires Element<std::ranges::range_value_t<Range>> Array
array(const Range& values, std::optional<Shape> shape,
      std::optional<Device> device) {
  return copy_range(std::ranges::data(values),
                    static_cast<int64_t>(std::ranges::size(values)),
                    dtype_of<std::ranges::range_value_t<Range>>, shape, device);
}

}  // namespace catena::array
