#include "catena/dataset/convert.h"

#include <algorithm>
#include <new>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/index.h"
#include "catena/dataset/copy_fields.h"
#include "catena/dataset/example_stack.h"
#include "catena/dataset/index_check.h"

namespace catena::dataset {
namespace {

// "example 3", which has this index in the dataset, too: "example 3
// (dataset[17])".
std::string label_of(const Batch& batch, size_t example) {
  const std::optional<int64_t> index =
      batch.index_in_dataset(static_cast<int64_t>(example));
  return str("example ", example,
             index ? str(" (dataset[", *index, "])") : std::string());
}

void check_same_fields(const std::vector<Example>& examples,
                       const Batch& batch) {
  const Example& first = examples[0];
  for (size_t i = 1; i < examples.size(); ++i) {
    const Example& other = examples[i];
    if (other.size() != first.size()) {
      raise<ValueError>("concat_examples: expected ", first.size(),
                        " fields as in ", label_of(batch, 0), ", got ",
                        other.size(), " in ", label_of(batch, i));
    }
    if (!same_names(first.names(), other.names())) {
      raise<ValueError>("concat_examples: the names of the fields of ",
                        label_of(batch, i), " differ from those of ",
                        label_of(batch, 0));
    }
  }
}

// The smallest shape that every array fits into.
Shape common_shape(const std::vector<Array>& arrays, const std::string& label,
                   bool padded, const Batch& batch) {
  Shape shape = arrays[0].shape();
  for (size_t i = 1; i < arrays.size(); ++i) {
    const Shape& other = arrays[i].shape();
    if (other.ndim() != shape.ndim() || (!padded && other != shape)) {
      raise<ShapeError>("concat_examples: ", label, ": expected ",
                        padded ? "as many axes as in shape " : "shape ",
                        arrays[0].shape(), " of ", label_of(batch, 0),
                        ", got shape ", other, " in ", label_of(batch, i),
                        padded
                            ? ""
                            : "; set a padding to allow different shapes, or "
                              "name the field in lists");
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
  Array out =
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

// The examples stacked, if all have the first one's names, shapes and dtypes.
std::optional<Example> stack_rows(const std::vector<Example>& examples) {
  if (!ExampleStack::is_stackable(examples[0])) return std::nullopt;
  const ExampleStack stack(examples[0], static_cast<int64_t>(examples.size()));
  for (size_t i = 0; i < examples.size(); ++i) {
    if (!stack.set(static_cast<int64_t>(i), examples[i])) return std::nullopt;
  }
  return stack.stacked();
}

Array concat_field(const std::vector<Example>& examples, int64_t field,
                   const std::optional<Padding>& padding, const Batch& batch) {
  std::vector<Array> arrays;
  arrays.reserve(examples.size());
  for (const Example& example : examples) arrays.push_back(example[field]);
  const std::optional<Scalar> fill =
      padding ? padding->of_field(field, examples[0].size()) : std::nullopt;
  const Shape shape =
      common_shape(arrays, examples[0].label(field), fill.has_value(), batch);
  return fill ? stack_padded(arrays, shape, *fill) : array::stack(arrays);
}

std::vector<Array> list_field(const std::vector<Example>& examples,
                              int64_t field) {
  std::vector<Array> list;
  list.reserve(examples.size());
  for (const Example& example : examples) list.push_back(example[field]);
  return list;
}

// Whether each field becomes a list; empty when none does.
using IsList = std::vector<bool>;

IsList is_list_of(const Example& form, const std::vector<FieldKey>& lists) {
  if (lists.empty()) return {};
  IsList is_list(static_cast<size_t>(form.size()));
  for (const FieldKey& key : lists) {
    const auto index_of = [&](const auto& k) { return form.index_of(k); };
    is_list[std::visit(index_of, key)] = true;
  }
  return is_list;
}

Example stack_examples(const std::vector<Example>& examples,
                       const std::optional<Padding>& padding,
                       const IsList& is_list, const Batch& batch) {
  const Example& first = examples[0];
  // The common case; the code below handles the others and reports errors.
  std::optional<Example> rows;
  if (is_list.empty()) rows = stack_rows(examples);
  if (rows) {
    // Padding for a different number of fields is an error here, too.
    if (padding) padding->of_field(0, first.size());
    return *std::move(rows);
  }
  check_same_fields(examples, batch);
  Example::Fields fields;
  for (int64_t i = 0; i < first.size(); ++i) {
    if (!is_list.empty() && is_list[i]) {
      fields.push_back(list_field(examples, i));
    } else {
      fields.push_back(concat_field(examples, i, padding, batch));
    }
  }
  return Example(std::move(fields), first.names());
}

// Makes lists of the rows of stacked arrays.
Example rows_as_lists(const Example& stacked, const IsList& is_list) {
  Example::Fields fields;
  for (int64_t i = 0; i < stacked.size(); ++i) {
    if (!is_list[i]) {
      fields.push_back(stacked[i]);
      continue;
    }
    std::vector<Array> rows;
    for (const Array& row : stacked[i]) rows.push_back(row);
    fields.push_back(std::move(rows));
  }
  return Example(std::move(fields), stacked.names());
}

// `choose_lists` returns an IsList for an example or a minibatch.
template <class ChooseLists>
Example convert(const Batch& batch, const std::optional<Device>& device,
                const std::optional<Padding>& padding,
                ChooseLists choose_lists) {
  if (batch.size() == 0) {
    raise<ValueError>("concat_examples: expected examples, got none");
  }
  const auto on_device = [&](Example x) {
    if (!device) return x;
    return copy_fields(x, *device,
                       [&](const Array& a) { return a.to_device(*device); });
  };
  if (std::optional<Example> stacked = batch.gather()) {
    const IsList is_list = choose_lists(*stacked);
    Example result = on_device(*std::move(stacked));
    return is_list.empty() ? result : rows_as_lists(result, is_list);
  }
  const std::vector<Example> examples = batch.examples();
  return on_device(
      stack_examples(examples, padding, choose_lists(examples[0]), batch));
}

}  // namespace

std::optional<Scalar> Padding::of_field(int64_t index, int64_t fields) const {
  if (all_) return all_;
  if (static_cast<int64_t>(of_fields_.size()) != fields) {
    raise<ValueError>("concat_examples: expected a padding for each of ",
                      fields, " fields, got ", of_fields_.size());
  }
  check_index("concat_examples", index, fields);
  return of_fields_[index];
}

Example concat_examples(const Batch& batch,
                        const ConcatExamplesOptions& options) try {
  return convert(
      batch, options.device, options.padding,
      [&](const Example& form) { return is_list_of(form, options.lists); });
} catch (const std::bad_alloc&) {
  raise_out_of_memory("concat_examples");
}

Example list_examples(const Batch& batch, const std::optional<Device>& device) {
  return convert(batch, device, std::nullopt, [](const Example& form) {
    return IsList(static_cast<size_t>(form.size()), true);
  });
}

Array to_device(const std::optional<Device>& device, const Array& x) {
  return device ? x.to_device(*device) : x;
}

Converter default_converter() { return concat_converter({}); }

Converter concat_converter(const ConcatExamplesOptions& options) {
  return [options](const Batch& batch, const std::optional<Device>& device) {
    const std::optional<Device>& chosen = device ? device : options.device;
    return convert(batch, chosen, options.padding, [&](const Example& form) {
      return is_list_of(form, options.lists);
    });
  };
}

}  // namespace catena::dataset
