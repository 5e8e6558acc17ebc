#include "catena/dataset/datasets/tuple_dataset.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "catena/array/core/error.h"

namespace catena::datasets {
namespace {

using dataset::Dataset;
using dataset::Example;

using NamedDatasets = std::vector<std::pair<std::string, Dataset>>;

std::vector<Dataset> datasets_of(const NamedDatasets& named) {
  std::vector<Dataset> datasets;
  for (const auto& [name, dataset] : named) datasets.push_back(dataset);
  return datasets;
}

Example::Names names_of(const NamedDatasets& named) {
  std::vector<std::string> names;
  for (const auto& [name, dataset] : named) {
    if (std::ranges::find(names, name) != names.end()) {
      raise<ValueError>("DictDataset: expected unique names, got '", name,
                        "' twice");
    }
    names.push_back(name);
  }
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

}  // namespace

TupleDataset::TupleDataset(std::vector<Dataset> datasets)
    : datasets_(std::move(datasets)) {
  if (datasets_.empty()) {
    raise<ValueError>("TupleDataset: expected at least one dataset, got none");
  }
  for (size_t i = 1; i < datasets_.size(); ++i) {
    if (datasets_[i].size() != size()) {
      raise<ValueError>("TupleDataset: expected datasets of equal length, got ",
                        size(), " examples in dataset 0 and ",
                        datasets_[i].size(), " in dataset ", i);
    }
  }
}

Example TupleDataset::get_example(int64_t i) const {
  Example::Fields fields;
  for (const Dataset& dataset : datasets_) {
    Example::Fields part = dataset->get_example(i).fields();
    std::ranges::move(part, std::back_inserter(fields));
  }
  return Example(std::move(fields));
}

std::optional<Example> TupleDataset::gather(const Array& indices) const {
  Example::Fields fields;
  for (const Dataset& dataset : datasets_) {
    const std::optional<Example> part = dataset->gather(indices);
    if (!part) return std::nullopt;
    fields.insert(fields.end(), part->begin(), part->end());
  }
  return Example(std::move(fields));
}

DictDataset::DictDataset(const NamedDatasets& datasets)
    : tuple_(datasets_of(datasets)), names_(names_of(datasets)) {}

Example DictDataset::get_example(int64_t i) const {
  return Example(tuple_.get_example(i).fields(), names_);
}

std::optional<Example> DictDataset::gather(const Array& indices) const {
  const std::optional<Example> fields = tuple_.gather(indices);
  if (!fields) return std::nullopt;
  return Example(fields->fields(), names_);
}

}  // namespace catena::datasets
