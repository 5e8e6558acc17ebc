#include "catena/dataset/batch.h"

#include "catena/array/error.h"

namespace catena::dataset {

Batch::Batch(Dataset dataset, Array indices)
    : source_(View{std::move(dataset), std::move(indices)}) {}

int64_t Batch::size() const {
  if (const auto* view = std::get_if<View>(&source_)) {
    return view->indices.size();
  }
  return static_cast<int64_t>(std::get<0>(source_).size());
}

Example Batch::operator[](int64_t index) const {
  const int64_t i = index < 0 ? index + size() : index;
  if (i < 0 || i >= size()) {
    raise<IndexError>("Batch: expected an index of one of ", size(),
                      " examples, got ", index);
  }
  if (const auto* view = std::get_if<View>(&source_)) {
    return view->dataset[view->indices[i].item<int64_t>()];
  }
  return std::get<0>(source_)[i];
}

std::vector<Example> Batch::examples() const {
  const auto* view = std::get_if<View>(&source_);
  if (view == nullptr) return std::get<0>(source_);
  const Array indices = view->indices.contiguous();
  return view->dataset[std::span<const int64_t>(
      indices.data<int64_t>(), static_cast<size_t>(indices.size()))];
}

std::optional<Example> Batch::gather() const {
  const auto* view = std::get_if<View>(&source_);
  if (view == nullptr) return std::nullopt;
  return view->dataset->gather(view->indices);
}

}  // namespace catena::dataset
