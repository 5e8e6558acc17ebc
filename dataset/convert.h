#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "catena/array/array.h"
#include "catena/dataset/batch.h"

namespace catena::dataset {

// The value that pads arrays of different shapes: one for all fields, or one
// for each field. For a field without one, the shapes must be equal.
class Padding {
 public:
  Padding(Scalar value) : all_(value) {}
  template <Element T>
  Padding(T value) : all_(Scalar(value)) {}
  Padding(std::vector<std::optional<Scalar>> of_fields)
      : of_fields_(std::move(of_fields)) {}

  // ValueError unless there is one value for all fields or one for each of
  // `fields`.
  std::optional<Scalar> of_field(int64_t index, int64_t fields) const;

 private:
  std::optional<Scalar> all_;
  std::vector<std::optional<Scalar>> of_fields_;
};

struct ConcatExamplesOptions {
  // The device of the results; defaults to that of the examples.
  std::optional<Device> device = std::nullopt;
  std::optional<Padding> padding = std::nullopt;
};

// Stacks the examples of a batch, field by field, along a new first axis: N
// examples of (C, H, W) and () give (N, C, H, W) and (N,). With a padding
// value, arrays are padded at the end of each axis to the largest extent.
// ValueError when there are no examples or their number of fields or names
// differ; ShapeError when shapes differ and there is no padding, or when the
// number of axes differs.
Example concat_examples(const Batch& batch,
                        const ConcatExamplesOptions& options = {});

// The array copied to that device; x itself without a device.
Array to_device(const std::optional<Device>& device, const Array& x);

// How updaters and evaluators turn batches into arrays.
using Converter = std::function<Example(const Batch& batch,
                                        const std::optional<Device>& device)>;
// concat_examples without padding.
Converter default_converter();

}  // namespace catena::dataset
