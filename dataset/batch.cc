#include "catena/dataset/batch.h"

#include "catena/array/core/error.h"
#include "catena/array/index.h"

namespace catena::dataset {

Batch::Batch(Dataset dataset, Array indices)
    : source_(View{std::move(dataset), std::move(indices)}) {}

Batch Batch::of_rows(Example stacked) {
  if (stacked.size() == 0) {
    raise<ValueError>("Batch::of_rows: expected arrays, got none");
  }
  for (int64_t i = 0; i < stacked.size(); ++i) {
    if (stacked[i].ndim() == 0 || stacked[i].len() != stacked[0].len()) {
      raise<ShapeError>("Batch::of_rows: expected arrays of equal length, got ",
                        "shape ", stacked[0].shape(), " in ", stacked.label(0),
                        " and ", stacked[i].shape(), " in ", stacked.label(i));
    }
  }
  return Batch(Rows{std::move(stacked)});
}

Example Batch::Rows::row(int64_t index) const {
  Example::Fields fields;
  for (const Array& field : stacked) fields.push_back(field[index]);
  return Example(std::move(fields), stacked.names());
}

int64_t Batch::size() const {
  if (const auto* view = std::get_if<View>(&source_)) {
    return view->indices.size();
  }
  if (const auto* rows = std::get_if<Rows>(&source_)) {
    return rows->stacked[0].len();
  }
  return static_cast<int64_t>(std::get<0>(source_).size());
}

Example Batch::operator[](int64_t index) const {
  const int64_t i = index < 0 ? index + size() : index;
  if (i < 0 || i >= size()) {
    raise<IndexError>("Batch: expected an index into ", size(),
                      " examples, got ", index);
  }
  if (const auto* view = std::get_if<View>(&source_)) {
    return view->dataset[view->indices[i].item<int64_t>()];
  }
  if (const auto* rows = std::get_if<Rows>(&source_)) return rows->row(i);
  return std::get<0>(source_)[i];
}

std::vector<Example> Batch::examples() const {
  if (const auto* rows = std::get_if<Rows>(&source_)) {
    std::vector<Example> examples;
    for (int64_t i = 0; i < size(); ++i) examples.push_back(rows->row(i));
    return examples;
  }
  const auto* view = std::get_if<View>(&source_);
  if (view == nullptr) return std::get<0>(source_);
  const Array indices = view->indices.contiguous();
  return view->dataset[std::span<const int64_t>(
      indices.data<int64_t>(), static_cast<size_t>(indices.size()))];
}

std::optional<int64_t> Batch::index_in_dataset(int64_t index) const {
  const auto* view = std::get_if<View>(&source_);
  if (view == nullptr) return std::nullopt;
  return view->indices[index].item<int64_t>();
}

Batch Batch::share(int64_t first, int64_t step) const {
  if (first < 0 || step < 1) {
    raise<ValueError>(
        "Batch: expected a share with first >= 0 and step >= 1, "
        "got ",
        first, " and ", step);
  }
  if (const auto* view = std::get_if<View>(&source_)) {
    const Array indices = view->indices[{Slice(first, std::nullopt, step)}];
    return Batch(view->dataset, indices.contiguous());
  }
  if (const auto* rows = std::get_if<Rows>(&source_)) {
    Example::Fields fields;
    for (const Array& field : rows->stacked) {
      fields.push_back(field[{Slice(first, std::nullopt, step)}]);
    }
    return of_rows(Example(std::move(fields), rows->stacked.names()));
  }
  std::vector<Example> examples;
  const auto taken =
      array::slice_positions("Batch", Slice(first, std::nullopt, step), size());
  for (int64_t i = 0; i < taken.count; ++i) {
    examples.push_back(std::get<0>(source_)[taken[i]]);
  }
  return Batch(std::move(examples));
}

std::optional<Example> Batch::gather() const {
  if (const auto* rows = std::get_if<Rows>(&source_)) return rows->stacked;
  const auto* view = std::get_if<View>(&source_);
  if (view == nullptr) return std::nullopt;
  return view->dataset->gather(view->indices);
}

}  // namespace catena::dataset
