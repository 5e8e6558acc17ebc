#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>

#include "catena/array/array.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/scalar.h"

namespace catena {

// An argument that is a number or nested braces of numbers: array::array({{1,
// 2}, {3, 4}}). It refers to temporaries, so it must not outlive the call.
class NestedList {
 public:
  NestedList() = default;
  NestedList(std::initializer_list<NestedList> items) : items_(items) {}
  // A C++ int counts as int64, as Python's integers do in NumPy; every other
  // type keeps its own dtype.
  template <Element T>
  NestedList(T value)
      : is_number_(true),
        dtype_(std::is_same_v<T, int> ? Dtype::kInt64 : dtype_of<T>),
        number_(value) {}

  bool is_number() const { return is_number_; }
  Dtype dtype() const { return dtype_; }
  Scalar number() const { return number_; }
  const NestedList* begin() const { return items_.begin(); }
  const NestedList* end() const { return items_.end(); }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }

 private:
  std::initializer_list<NestedList> items_;
  bool is_number_ = false;
  Dtype dtype_ = Dtype::kFloat64;
  Scalar number_;
};

// Contiguous elements: a std::vector, std::span or std::array of them.
template <class Range>
concept ElementRange = requires(const Range& values) {
  requires Element<typename decltype(std::span(values))::value_type>;
};

}  // namespace catena

// Array creation with NumPy's names and defaults. New arrays are in C order;
// the default dtype is float64, the default device the current one. Both follow
// the required arguments by position, as in NumPy; by name where other keywords
// come first there, as in linspace and eye. All throw ShapeError on a negative
// extent or too many bytes, OutOfMemoryError, and DeviceError when the device
// does not exist.
namespace catena::array {

// Arrays filled with 0, 1 or `value`. By default full() uses the dtype that
// NumPy has for such a number: bool, int64 (uint64 for unsigned) or float64,
// also for 3.0f. It throws DtypeError when an integer dtype cannot hold the
// value.
Array zeros(const Shape& shape, Dtype dtype = Dtype::kFloat64,
            std::optional<Device> device = std::nullopt);
Array ones(const Shape& shape, Dtype dtype = Dtype::kFloat64,
           std::optional<Device> device = std::nullopt);
Array full(const Shape& shape, Scalar value,
           std::optional<Dtype> dtype = std::nullopt,
           std::optional<Device> device = std::nullopt);

// As above, with the shape and device of `a` and by default its dtype.
Array zeros_like(const Array& a, std::optional<Dtype> dtype = std::nullopt);
Array ones_like(const Array& a, std::optional<Dtype> dtype = std::nullopt);
Array full_like(const Array& a, Scalar value,
                std::optional<Dtype> dtype = std::nullopt);

// start, start + step, ... excluding stop: ceil((stop - start) / step) values.
// The default dtype is int64 if all three are integers, else float64. Throws
// ValueError when step is 0 or a bound is not finite, ShapeError for too many
// values, DtypeError when the dtype cannot hold one.
Array arange(Scalar stop, std::optional<Dtype> dtype = std::nullopt,
             std::optional<Device> device = std::nullopt);
Array arange(Scalar start, Scalar stop, Scalar step = 1,
             std::optional<Dtype> dtype = std::nullopt,
             std::optional<Device> device = std::nullopt);

struct LinspaceOptions {
  NamedFieldsOnly keywords = {};
  bool endpoint = true;  // whether stop is the last value
  Dtype dtype = Dtype::kFloat64;
  std::optional<Device> device = std::nullopt;
};
// `num` evenly spaced values from start to stop; for an integer dtype they are
// rounded down. Throws ValueError when num is negative.
Array linspace(double start, double stop, int64_t num = 50,
               const LinspaceOptions& options = {});
// What linspace_with_step returns.
struct LinspaceResult {
  Array samples;
  double step;
};
// linspace, with the distance of two neighbours before they are cast: NumPy's
// linspace(..., retstep=True). NaN if there is no interval between values.
LinspaceResult linspace_with_step(double start, double stop, int64_t num = 50,
                                  const LinspaceOptions& options = {});

struct EyeOptions {
  NamedFieldsOnly keywords = {};
  int64_t k = 0;  // the diagonal; above the main one when positive
  Dtype dtype = Dtype::kFloat64;
  std::optional<Device> device = std::nullopt;
};
// An (N, M) matrix of zeros with ones on diagonal k; M is N by default.
Array eye(int64_t N, std::optional<int64_t> M = std::nullopt,
          const EyeOptions& options = {});
Array identity(int64_t n, Dtype dtype = Dtype::kFloat64,
               std::optional<Device> device = std::nullopt);

// From a number or nested braces: array({{1, 2}, {3, 4}}). The default dtype is
// the promotion of the numbers (int literals are int64). Throws ShapeError for
// ragged lists.
Array array(const NestedList& values, std::optional<Dtype> dtype = std::nullopt,
            std::optional<Device> device = std::nullopt);

struct ArrayOptions {
  NamedFieldsOnly keywords = {};
  std::optional<Dtype> dtype = std::nullopt;  // by default its own
  // Whether an array is copied even if it has the dtype and the device.
  bool copy = true;
  // The least number of axes: axes of extent 1 are put in front. Throws
  // ShapeError when it is negative or too large.
  int ndmin = 0;
  std::optional<Device> device = std::nullopt;
};
// From a number or nested braces, with at least `ndmin` axes.
Array array(const NestedList& values, const ArrayOptions& options);
// A copy of an array, by default on its device. Without `copy`, the array
// itself if it has all that is asked for, or a view that only adds axes.
template <std::derived_from<Array> T>
Array array(const T& values, const ArrayOptions& options = {});

// Copies elements of `dtype` in C order from `values` in host memory.
Array copy_from(const void* values, const Shape& shape, Dtype dtype,
                std::optional<Device> device = std::nullopt);

// Copies a std::vector, std::span or std::array to a 1-d array, or in C order
// to an array of `shape`. Throws ShapeError when the sizes differ.
template <ElementRange Range>
Array array(const Range& values, std::optional<Shape> shape = std::nullopt,
            std::optional<Device> device = std::nullopt);

// The array itself, or the number as a 0-d array. Cast or copied to another
// device only if a different dtype or device is given.
Array asarray(const Operand& a, std::optional<Dtype> dtype = std::nullopt,
              std::optional<Device> device = std::nullopt);
// Like asarray, but C-contiguous and with at least one axis.
Array ascontiguousarray(const Operand& a,
                        std::optional<Dtype> dtype = std::nullopt);

// Implementations of the templates above.
Array array_from(const Array& values, const ArrayOptions& options);
Array copy_range(const void* values, int64_t count, Dtype dtype,
                 const std::optional<Shape>& shape,
                 std::optional<Device> device);

template <std::derived_from<Array> T>
Array array(const T& values, const ArrayOptions& options) {
  return array_from(values, options);
}

template <ElementRange Range>
Array array(const Range& values, std::optional<Shape> shape,
            std::optional<Device> device) {
  const std::span span(values);
  using T = typename decltype(span)::value_type;
  return copy_range(span.data(), static_cast<int64_t>(span.size()), dtype_of<T>,
                    shape, device);
}

}  // namespace catena::array
