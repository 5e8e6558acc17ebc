#include "catena/array/indexing/getitem.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/indexing/index_check.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/indexing/selection.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

bool is_mask(const AdvancedIndex& index) {
  return index.is_array() && index.array().dtype() == Dtype::kBool;
}

bool has_arrays(std::span<const AdvancedIndex> indexes) {
  return std::ranges::any_of(indexes, &AdvancedIndex::is_array);
}

// The number of axes that the index consumes, without the ellipsis.
int consumed_axes(const AdvancedIndex& index) {
  if (is_mask(index)) return index.array().ndim();
  if (index.is_array()) return 1;
  const Index::Kind kind = index.basic().kind();
  return kind == Index::Kind::kInteger || kind == Index::Kind::kSlice;
}

// `a` with only the basic indices applied: index arrays leave their axes whole.
// A 0-d mask gets an axis of extent 1 to select from.
Array view_without_arrays(const Array& a,
                          std::span<const AdvancedIndex> indexes) {
  std::vector<Index> basic;
  for (const AdvancedIndex& index : indexes) {
    if (!index.is_array()) {
      basic.push_back(index.basic());
    } else if (is_mask(index) && index.array().ndim() == 0) {
      basic.push_back(newaxis);
    } else {
      basic.insert(basic.end(), consumed_axes(index), Slice());
    }
  }
  return basic_index(a, basic);
}

// Whether something other than arrays and integers separates the index arrays.
bool are_separated(std::span<const AdvancedIndex> indexes) {
  const auto is_advanced = [](const AdvancedIndex& index) {
    return index.is_array() || index.basic().kind() == Index::Kind::kInteger;
  };
  const auto first = std::ranges::find_if(indexes, is_advanced);
  const auto gap = std::find_if_not(first, indexes.end(), is_advanced);
  return std::any_of(gap, indexes.end(), is_advanced);
}

// Walks an index and collects the selections of its arrays.
class Parser {
 public:
  Parser(const Array& a, std::span<const AdvancedIndex> indexes,
         std::string_view operation)
      : a_(a),
        indexes_(indexes),
        operation_(operation),
        view_(view_without_arrays(a, indexes)) {}

  Selection parse() {
    check_devices();
    int remaining = a_.ndim();
    for (const AdvancedIndex& index : indexes_) {
      remaining -= consumed_axes(index);
    }
    const bool in_front = are_separated(indexes_);
    bool seen_advanced = false;
    for (const AdvancedIndex& index : indexes_) {
      if (index.is_array()) {
        add_array(index.array());
      } else if (index.basic().kind() == Index::Kind::kInteger) {
        ++axis_;
      } else {
        const bool is_ellipsis = index.basic().kind() == Index::Kind::kEllipsis;
        keep(is_ellipsis ? remaining : 1, !in_front && !seen_advanced);
        axis_ += is_ellipsis ? remaining : consumed_axes(index);
        continue;
      }
      seen_advanced = true;
    }
    keep(view_.ndim() - viewed_, false);
    for (Selection::Part& part : parts_) {
      index_shape_ =
          broadcast_shapes(index_shape_, part.index.shape(), operation_);
    }
    return Selection(view_, std::move(outer_), index_shape_, std::move(parts_),
                     std::move(inner_));
  }

 private:
  void check_devices() const {
    std::vector<const Array*> all = {&a_};
    for (const AdvancedIndex& index : indexes_) {
      if (index.is_array()) all.push_back(&index.array());
    }
    common_device(all, operation_);
  }

  Selection::Axis view_axis(int i) const {
    return {view_.shape()[i], view_.strides()[i]};
  }

  void keep(int count, bool before) {
    for (; count > 0; --count) {
      (before ? outer_ : inner_).push_back(view_axis(viewed_++));
    }
  }

  void add_array(const Array& index) {
    if (index.dtype() == Dtype::kBool) return add_mask(index);
    const Array plain = index_array(index, operation_);
    check_index(plain, axis_, {.extent = a_.shape()[axis_]}, operation_);
    parts_.push_back({plain, view_axis(viewed_)});
    ++axis_;
    ++viewed_;
  }

  void add_mask(const Array& mask) {
    const int ndim = mask.ndim();
    for (int i = 0; i < ndim; ++i) {
      if (mask.shape()[i] != a_.shape()[axis_ + i]) {
        raise<IndexError>(operation_, ": expected a mask with extent ",
                          a_.shape()[axis_ + i], " along axis ", axis_ + i,
                          ", got a mask of shape ", mask.shape(),
                          " for an array of shape ", a_.shape());
      }
    }
    const int width = std::max(ndim, 1);
    // Axes in C order are one axis, which positions can index.
    Selection::Axis merged = view_axis(viewed_ + width - 1);
    bool is_one = true;
    for (int i = width - 2; i >= 0; --i) {
      const Selection::Axis next = view_axis(viewed_ + i);
      is_one = is_one && next.stride == merged.stride * merged.extent;
      merged.extent *= next.extent;
    }
    if (is_one) {
      parts_.push_back({flatnonzero(mask), merged});
    } else {
      const std::vector<Array> found = nonzero(mask);
      for (int i = 0; i < ndim; ++i) {
        parts_.push_back({found[i], view_axis(viewed_ + i)});
      }
    }
    axis_ += ndim;
    viewed_ += width;
  }

  const Array& a_;
  std::span<const AdvancedIndex> indexes_;
  std::string_view operation_;
  Array view_;
  int axis_ = 0;    // of a_
  int viewed_ = 0;  // axes of view_ that have been dealt with
  std::vector<Selection::Axis> outer_;
  std::vector<Selection::Axis> inner_;
  std::vector<Selection::Part> parts_;
  Shape index_shape_;
};

// Whether the index is one mask over the whole array and the value one number:
// then `where` suffices.
bool is_masked_fill(const Array& a, std::span<const AdvancedIndex> indexes,
                    const Operand& values) {
  return indexes.size() == 1 && is_mask(indexes[0]) &&
         indexes[0].array().shape() == a.shape() && a.ndim() > 0 &&
         (!values.is_array() || values.array().ndim() == 0);
}

}  // namespace

Array getitem(const Array& a, std::span<const AdvancedIndex> indexes) {
  if (!has_arrays(indexes)) return view_without_arrays(a, indexes);
  return Parser(a, indexes, "getitem").parse().gather();
}

void setitem(const Array& a, std::span<const AdvancedIndex> indexes,
             const Operand& values) {
  check_writable(a, "setitem");
  if (!has_arrays(indexes)) {
    const Array view = view_without_arrays(a, indexes);
    if (values.is_array()) {
      view.assign(values.array());
    } else {
      view.fill(values.scalar());
    }
  } else if (is_masked_fill(a, indexes, values)) {
    const Array value =
        values.is_array()
            ? values.array().astype(a.dtype(), Array::CopyPolicy::kIfNeeded)
            : full({}, values.scalar(), a.dtype(), a.device());
    a.assign(where(indexes[0].array(), value, a));
  } else {
    Parser(a, indexes, "setitem").parse().scatter_update(values, "setitem");
  }
}

void add_at(const Array& a, std::span<const AdvancedIndex> indexes,
            const Operand& values) {
  check_writable(a, "add_at");
  const bool is_short = a.itemsize() == 2 && is_floating(a.dtype());
  const Array sums = is_short ? a.astype(Dtype::kFloat32) : a;
  if (has_arrays(indexes)) {
    Parser(sums, indexes, "add_at").parse().scatter_add(values, "add_at");
  } else {
    view_without_arrays(sums, indexes) += values;
  }
  if (is_short) a.assign(sums);
}

}  // namespace catena::array
