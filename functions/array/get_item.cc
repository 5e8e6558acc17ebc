#include "catena/functions/array/get_item.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/array/creation.h"
#include "catena/array/take.h"
#include "catena/functions/array/internal/index_text.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

// Basic indexing (integers, slices, ...): no element is selected twice.
struct BasicItem {
  static constexpr std::string_view kLabel = "get_item";
  using Kind = kinds::GetItem;
  absl::InlinedVector<Index, 4> indexes;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("slices", text_of(indexes));
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return array::basic_index(x, indexes); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    Array gx = array::zeros(x.shape, x.dtype, x.device);
    array::basic_index(gx, indexes).assign(gy);
    return gx;
  }
};

// Advanced indexing, with arrays.
struct AdvancedItem {
  static constexpr std::string_view kLabel = "get_item";
  using Kind = kinds::GetItem;
  std::vector<AdvancedIndex> indexes;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("slices", text_of(indexes));
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return array::getitem(x, indexes); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    Array gx = array::zeros(x.shape, x.dtype, x.device);
    array::add_at(gx, indexes, gy);
    return gx;
  }
};

// Indexing by one array along an axis.
struct Slices {
  static constexpr std::string_view kLabel = "get_item";
  using Kind = kinds::GetItem;
  Array indices;
  int64_t axis;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("indices", indices);
    visit("axis", axis);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return array::take(x, indices, axis); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    Array gx = array::zeros(x.shape, x.dtype, x.device);
    array::scatter_add(gx, indices, axis, gy);
    return gx;
  }
};

}  // namespace

Variable get_item(const Variable& x, std::span<const Index> indexes) {
  return apply_linear(x, BasicItem{{indexes.begin(), indexes.end()}});
}

Variable get_item(const Variable& x, std::span<const AdvancedIndex> indexes) {
  const auto is_array = [](const AdvancedIndex& i) { return i.is_array(); };
  if (std::ranges::any_of(indexes, is_array)) {
    return apply_linear(x, AdvancedItem{{indexes.begin(), indexes.end()}});
  }
  BasicItem item;
  for (const AdvancedIndex& index : indexes) {
    item.indexes.push_back(index.basic());
  }
  return apply_linear(x, std::move(item));
}

Variable get_item(const Variable& x,
                  std::initializer_list<AdvancedIndex> indexes) {
  return get_item(x, std::span(indexes.begin(), indexes.size()));
}

Variable get_item(const Variable& x, const Array& indices,
                  const AxisOption& options) {
  if (indices.dtype() == Dtype::kBool && options.axis == 0) {
    const AdvancedIndex mask[] = {indices};
    return get_item(x, std::span<const AdvancedIndex>(mask));
  }
  return apply_linear(x, Slices{indices, options.axis});
}

}  // namespace catena::functions
