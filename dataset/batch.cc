#include "catena/dataset/batch.h"

#include <utility>
#include <variant>

#include "catena/array/core/error.h"
#include "catena/array/index.h"

namespace catena::dataset {

namespace {

struct View {
  Dataset dataset;
  Array indices;
};
struct Rows {
  Example stacked;

  Example row(int64_t index) const {
    Example::Fields fields;
    for (const Array& field : stacked) fields.push_back(field[index]);
    return Example(std::move(fields), stacked.names());
  }
};

}  // namespace

struct Batch::Source : std::variant<std::vector<Example>, View, Rows> {
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
    : Batch(std::make_shared<const Source>(
          View{std::move(dataset), std::move(indices)})) {}

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

int64_t Batch::size() const {
  if (const auto* view = source_->get_if<View>()) {
    return view->indices.size();
  }
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
  if (const auto* view = source_->get_if<View>()) {
    return view->dataset[view->indices[i].item<int64_t>()];
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
  const auto* view = source_->get_if<View>();
  if (view == nullptr) return source_->examples();
  const Array indices = view->indices.contiguous();
  return view->dataset[std::span<const int64_t>(
      indices.data<int64_t>(), static_cast<size_t>(indices.size()))];
}

std::optional<int64_t> Batch::index_in_dataset(int64_t index) const {
  const auto* view = source_->get_if<View>();
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
  if (const auto* view = source_->get_if<View>()) {
    const Array indices = view->indices[{Slice(first, std::nullopt, step)}];
    return Batch(view->dataset, indices.contiguous());
  }
  if (const auto* rows = source_->get_if<Rows>()) {
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
    examples.push_back(source_->examples()[taken[i]]);
  }
  return Batch(std::move(examples));
}

std::optional<Example> Batch::gather() const {
  if (const auto* rows = source_->get_if<Rows>()) return rows->stacked;
  const auto* view = source_->get_if<View>();
  if (view == nullptr) return std::nullopt;
  return view->dataset->gather(view->indices);
}

}  // namespace catena::dataset
