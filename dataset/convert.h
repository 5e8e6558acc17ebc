#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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

  // Throws ValueError unless there is one value for all fields or one for each
  // of `fields`.
  std::optional<Scalar> of_field(int64_t index, int64_t fields) const;

 private:
  std::optional<Scalar> all_;
  std::vector<std::optional<Scalar>> of_fields_;
};

// A field by its position (negative ones count from the end) or its name.
using FieldKey = std::variant<int64_t, std::string>;

struct ConcatExamplesOptions {
  NamedFieldsOnly keywords = {};
  // The device of the results; defaults to that of the examples.
  std::optional<Device> device = std::nullopt;
  std::optional<Padding> padding = std::nullopt;
  // The fields that become lists of arrays, one for each example, instead of
  // one array, such as sequences of different lengths:
  //   {.lists = {0}}, {.lists = {"xs", "ys"}}
  std::vector<FieldKey> lists = {};
};

// Stacks the examples of a batch, field by field, along a new first axis: N
// examples of (C, H, W) and () give (N, C, H, W) and (N,). With a padding
// value, arrays are padded at the end of each axis to the largest extent.
// Throws ValueError when there are no examples or their number of fields or
// names differ; ShapeError when shapes differ and there is no padding, or when
// the number of axes differs. Fields that become lists are not stacked: any
// shapes will do. Throws IndexError or ValueError when there is no such field.
Example concat_examples(const Batch& batch,
                        const ConcatExamplesOptions& options = {});

// All fields as lists of arrays: concat_examples of examples whose shapes
// differ in every field. A Converter.
Example list_examples(const Batch& batch,
                      const std::optional<Device>& device = std::nullopt);

// The array copied to that device; x itself without a device.
Array to_device(const std::optional<Device>& device, const Array& x);

// How updaters and evaluators turn batches into arrays. A field of the result
// that is a list of arrays is passed to the loss function as a list of
// variables.
using Converter = std::function<Example(const Batch& batch,
                                        const std::optional<Device>& device)>;
// concat_examples without padding.
Converter default_converter();
// concat_examples with these options; the updater's device, if it has one,
// takes the place of theirs.
//
//   StandardUpdater updater(iterator, optimizer,
//                           {.converter = concat_converter({.lists = {0}})});
Converter concat_converter(const ConcatExamplesOptions& options);

}  // namespace catena::dataset
