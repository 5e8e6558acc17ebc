#include "catena/dataset/convert.h"

#include <algorithm>

#include "catena/array/concatenate.h"
#include "catena/array/error.h"
#include "catena/array/index.h"

namespace catena::dataset {
namespace {

void check_same_fields(const std::vector<Example>& examples) {
  const Example& first = examples[0];
  for (size_t i = 1; i < examples.size(); ++i) {
    const Example& other = examples[i];
    if (other.size() != first.size()) {
      raise<ValueError>("concat_examples: expected ", first.size(),
                        " fields as in example 0, got ", other.size(),
                        " in example ", i);
    }
    const bool same_names =
        first.names() == other.names() ||
        (first.names() && other.names() && *first.names() == *other.names());
    if (!same_names) {
      raise<ValueError>("concat_examples: the names of the fields of example ",
                        i, " differ from those of example 0");
    }
  }
}

// The smallest shape that every array fits in.
Shape common_shape(const std::vector<Array>& arrays, const std::string& label,
                   bool padded) {
  Shape shape = arrays[0].shape();
  for (size_t i = 1; i < arrays.size(); ++i) {
    const Shape& other = arrays[i].shape();
    if (other.ndim() != shape.ndim() || (!padded && other != shape)) {
      raise<ShapeError>("concat_examples: ", label, ": expected ",
                        padded ? "as many axes as in shape " : "shape ",
                        arrays[0].shape(), " of example 0, got shape ", other,
                        " in example ", i,
                        padded ? "" : "; a padding would fill up");
    }
    for (int axis = 0; axis < shape.ndim(); ++axis) {
      shape[axis] = std::max(shape[axis], other[axis]);
    }
  }
  return shape;
}

Array stack_padded(const std::vector<Array>& arrays, const Shape& shape,
                   Scalar padding) {
  Shape stacked = shape;
  stacked.insert(0, static_cast<int64_t>(arrays.size()));
  const Array out =
      array::full(stacked, padding, arrays[0].dtype(), arrays[0].device());
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::vector<Index> corner = {Index(i)};
    for (const int64_t extent : arrays[i].shape()) {
      corner.push_back(Slice(extent));
    }
    array::basic_index(out, corner).assign(arrays[i]);
  }
  return out;
}

Array concat_field(const std::vector<Example>& examples, int64_t field,
                   const std::optional<Padding>& padding) {
  std::vector<Array> arrays;
  arrays.reserve(examples.size());
  for (const Example& example : examples) arrays.push_back(example[field]);
  const std::optional<Scalar> fill =
      padding ? padding->of_field(field, examples[0].size()) : std::nullopt;
  const Shape shape =
      common_shape(arrays, examples[0].label(field), fill.has_value());
  return fill ? stack_padded(arrays, shape, *fill) : array::stack(arrays);
}

}  // namespace

std::optional<Scalar> Padding::of_field(int64_t index, int64_t fields) const {
  if (all_) return all_;
  if (static_cast<int64_t>(of_fields_.size()) != fields) {
    raise<ValueError>("concat_examples: expected a padding for each of ",
                      fields, " fields, got ", of_fields_.size());
  }
  return of_fields_[index];
}

Example concat_examples(const Batch& batch,
                        const ConcatExamplesOptions& options) {
  if (batch.size() == 0) {
    raise<ValueError>("concat_examples: expected examples, got none");
  }
  Example::Fields fields;
  Example::Names names;
  if (const std::optional<Example> gathered = batch.gather()) {
    fields = gathered->fields();
    names = gathered->names();
  } else {
    const std::vector<Example> examples = batch.examples();
    check_same_fields(examples);
    names = examples[0].names();
    for (int64_t i = 0; i < examples[0].size(); ++i) {
      fields.push_back(concat_field(examples, i, options.padding));
    }
  }
  for (Array& field : fields) field = to_device(options.device, field);
  return Example(std::move(fields), std::move(names));
}

Array to_device(const std::optional<Device>& device, const Array& x) {
  return device ? x.to_device(*device) : x;
}

Converter default_converter() {
  return [](const Batch& batch, const std::optional<Device>& device) {
    return concat_examples(batch, {.device = device});
  };
}

}  // namespace catena::dataset
