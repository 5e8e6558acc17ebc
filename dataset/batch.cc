#include "catena/dataset/batch.h"

#include <utility>
#include <variant>

#include "catena/array/core/error.h"
#include "catena/array/index.h"

namespace catena::dataset {

namespace {

struct Rows {
  Example stacked;

  Example row(int64_t index) const {
    Example::Fields fields;
    for (const Array& field : stacked) fields.push_back(field[index]);
    return Example(std::move(fields), stacked.names());
  }
};

}  // namespace

struct Batch::Source : std::variant<std::vector<Example>, Dataset, Rows> {
  using variant::variant;
  // Null unless this is the source's form.
  template <class Form>
  const Form* get_if() const {
    return std::get_if<Form>(this);
  }
  const std::vector<Example>& examples() const { return std::get<0>(*this); }
};

Batch::Batch(std::shared_ptr<const Source> source)
    : source_(std::move(source)) {}
Batch::Batch(std::vector<Example> examples)
    : Batch(std::make_shared<const Source>(std::move(examples))) {}
Batch::Batch(Dataset dataset, Array indices)
    : source_(std::make_shared<const Source>(std::move(dataset))),
      indices_(std::move(indices)) {}

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
  return Batch(std::make_shared<const Source>(Rows{std::move(stacked)}));
}

Batch Batch::with_indices(Array indices) const {
  indices.check_dtype(Dtype::kInt64, "Batch::with_indices");
  if (indices.shape() != Shape{size()}) {
    raise<ShapeError>("Batch::with_indices: expected indices of shape (",
                      size(), ",), got ", indices.shape());
  }
  Batch batch = *this;
  batch.indices_ = std::move(indices);
  return batch;
}

int64_t Batch::size() const {
  if (source_->get_if<Dataset>() != nullptr) return indices_.size();
  if (const auto* rows = source_->get_if<Rows>()) {
    return rows->stacked[0].len();
  }
  return static_cast<int64_t>(source_->examples().size());
}

Example Batch::operator[](int64_t index) const {
  const int64_t i = index < 0 ? index + size() : index;
  if (i < 0 || i >= size()) {
    raise<IndexError>("Batch: expected an index into ", size(),
                      " examples, got ", index);
  }
  if (const auto* dataset = source_->get_if<Dataset>()) {
    return (*dataset)[indices_[i].item<int64_t>()];
  }
  if (const auto* rows = source_->get_if<Rows>()) return rows->row(i);
  return source_->examples()[i];
}

std::vector<Example> Batch::examples() const {
  if (const auto* rows = source_->get_if<Rows>()) {
    std::vector<Example> examples;
    for (int64_t i = 0; i < size(); ++i) examples.push_back(rows->row(i));
    return examples;
  }
  const auto* dataset = source_->get_if<Dataset>();
  if (dataset == nullptr) return source_->examples();
  const Array indices = indices_.contiguous();
  return (*dataset)[std::span<const int64_t>(
      indices.data<int64_t>(), static_cast<size_t>(indices.size()))];
}

std::optional<int64_t> Batch::index_in_dataset(int64_t index) const {
  if (!indices_.defined()) return std::nullopt;
  return indices_[index].item<int64_t>();
}

Batch Batch::share(int64_t first, int64_t step) const {
  if (first < 0 || step < 1) {
    raise<ValueError>(
        "Batch: expected a share with first >= 0 and step >= 1, "
        "got ",
        first, " and ", step);
  }
  const Slice slice(first, std::nullopt, step);
  Batch part = *this;
  if (indices_.defined()) part.indices_ = indices_[{slice}].contiguous();
  if (const auto* rows = source_->get_if<Rows>()) {
    Example::Fields fields;
    for (const Array& field : rows->stacked) fields.push_back(field[{slice}]);
    part.source_ =
        of_rows(Example(std::move(fields), rows->stacked.names())).source_;
  } else if (source_->get_if<Dataset>() == nullptr) {
    std::vector<Example> examples;
    const auto taken = array::slice_positions("Batch", slice, size());
    for (int64_t i = 0; i < taken.count; ++i) {
      examples.push_back(source_->examples()[taken[i]]);
    }
    part.source_ = Batch(std::move(examples)).source_;
  }
  return part;
}

std::optional<Example> Batch::gather() const {
  if (const auto* rows = source_->get_if<Rows>()) return rows->stacked;
  const auto* dataset = source_->get_if<Dataset>();
  if (dataset == nullptr) return std::nullopt;
  return (*dataset)->gather(indices_);
}

}  // namespace catena::dataset
