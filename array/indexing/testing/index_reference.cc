#include "catena/array/indexing/testing/index_reference.h"

#include <algorithm>
#include <numeric>

#include "catena/array/creation.h"

namespace catena::testing {
namespace {

namespace xp = catena::array;

int64_t below(int64_t end, std::mt19937_64& random) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
}

// The next coordinates in C order; false after the last.
bool advance(std::vector<int64_t>& at, const Shape& shape) {
  for (int i = shape.ndim() - 1; i >= 0; --i) {
    if (++at[i] < shape[i]) return true;
    at[i] = 0;
  }
  return false;
}

// One index array: the axis it indexes, its values and shape.
struct IndexArray {
  int axis;
  Shape shape;
  std::vector<int64_t> values;

  int64_t at(const std::vector<int64_t>& place) const {
    int64_t position = 0;
    const size_t skipped = place.size() - static_cast<size_t>(shape.ndim());
    for (int i = 0; i < shape.ndim(); ++i) {
      position = position * shape[i] + (shape[i] == 1 ? 0 : place[skipped + i]);
    }
    return values[position];
  }
};

// A range of positions along an axis of the array, or a new axis (-1).
struct Run {
  int axis;
  std::vector<int64_t> positions;
};

std::vector<int64_t> slice_positions(const Slice& slice, int64_t extent) {
  // All positions from start on, until stop.
  const auto end = [&](std::optional<int64_t> given, int64_t fallback) {
    if (!given) return fallback;
    return *given < 0 ? *given + extent : *given;
  };
  std::vector<int64_t> positions;
  if (slice.step > 0) {
    const int64_t stop = end(slice.stop, extent);
    for (int64_t i = std::max<int64_t>(end(slice.start, 0), 0);
         i < std::min(stop, extent); i += slice.step) {
      positions.push_back(i);
    }
  } else {
    const int64_t stop = slice.stop ? end(slice.stop, 0) : -1;
    for (int64_t i = std::min(end(slice.start, extent - 1), extent - 1);
         i >= 0 && i > stop; i += slice.step) {
      positions.push_back(i);
    }
  }
  return positions;
}

std::vector<int64_t> whole(int64_t extent) {
  std::vector<int64_t> positions(extent);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

}  // namespace

std::vector<int64_t> integers_of(const Array& a) {
  const Array plain =
      a.astype(Dtype::kInt64).contiguous().to_device(native_device());
  const int64_t* data = plain.data<int64_t>();
  return {data, data + plain.size()};
}

Selected select_slowly(const Shape& shape,
                       std::span<const AdvancedIndex> indexes) {
  int used = 0;
  for (const AdvancedIndex& index : indexes) {
    if (index.is_array()) {
      used += index.array().dtype() == Dtype::kBool ? index.array().ndim() : 1;
    } else {
      used += index.basic().kind() == Index::Kind::kInteger ||
              index.basic().kind() == Index::Kind::kSlice;
    }
  }
  std::vector<IndexArray> arrays;
  std::vector<Run> runs;
  size_t runs_before = 0;  // those in front of the first array
  enum { kNone, kInside, kBehind, kAgain } seen = kNone;
  const auto see_array = [&] {
    if (seen == kNone) runs_before = runs.size();
    seen = seen == kNone || seen == kInside ? kInside : kAgain;
  };
  const auto see_other = [&] {
    if (seen == kInside) seen = kBehind;
  };
  int axis = 0;
  for (const AdvancedIndex& index : indexes) {
    if (index.is_array() && index.array().dtype() == Dtype::kBool) {
      see_array();
      const Shape& mask_shape = index.array().shape();
      const std::vector<int64_t> flags = integers_of(index.array());
      const int first = static_cast<int>(arrays.size());
      for (int i = 0; i < mask_shape.ndim(); ++i) {
        arrays.push_back({axis++, {0}, {}});
      }
      // A 0-d mask selects from a virtual axis.
      if (mask_shape.empty()) arrays.push_back({-1, {0}, {}});
      std::vector<int64_t> at(mask_shape.ndim(), 0);
      if (!flags.empty()) {
        size_t i = 0;
        do {
          if (flags[i++] == 0) continue;
          for (size_t k = first; k < arrays.size(); ++k) {
            arrays[k].values.push_back(arrays[k].axis < 0 ? 0 : at[k - first]);
            ++arrays[k].shape[0];
          }
        } while (advance(at, mask_shape));
      }
    } else if (index.is_array()) {
      see_array();
      IndexArray array{axis, index.array().shape(), integers_of(index.array())};
      for (int64_t& i : array.values) i += i < 0 ? shape[axis] : 0;
      arrays.push_back(std::move(array));
      ++axis;
    } else if (index.basic().kind() == Index::Kind::kInteger) {
      see_array();
      const int64_t i = index.basic().integer();
      arrays.push_back({axis, {}, {i < 0 ? i + shape[axis] : i}});
      ++axis;
    } else if (index.basic().kind() == Index::Kind::kSlice) {
      see_other();
      runs.push_back(
          {axis, slice_positions(index.basic().slice(), shape[axis])});
      ++axis;
    } else if (index.basic().kind() == Index::Kind::kNewAxis) {
      see_other();
      runs.push_back({-1, {0}});
    } else {
      see_other();
      for (int i = used; i < shape.ndim(); ++i, ++axis) {
        runs.push_back({axis, whole(shape[axis])});
      }
    }
  }
  for (; axis < shape.ndim(); ++axis) {
    runs.push_back({axis, whole(shape[axis])});
  }
  if (seen == kAgain) runs_before = 0;

  Shape common;
  for (const IndexArray& array : arrays) {
    common = broadcast_shapes(common, array.shape, "reference");
  }
  Selected selected;
  for (size_t i = 0; i < runs_before; ++i) {
    selected.shape.push_back(static_cast<int64_t>(runs[i].positions.size()));
  }
  for (const int64_t extent : common) selected.shape.push_back(extent);
  for (size_t i = runs_before; i < runs.size(); ++i) {
    selected.shape.push_back(static_cast<int64_t>(runs[i].positions.size()));
  }
  if (size_of(selected.shape) == 0) return selected;
  std::vector<int64_t> at(selected.shape.ndim(), 0);
  do {
    std::vector<int64_t> source(shape.ndim(), 0);
    const auto begin = at.begin() + static_cast<int64_t>(runs_before);
    const std::vector<int64_t> place(begin, begin + common.ndim());
    for (const IndexArray& array : arrays) {
      if (array.axis >= 0) source[array.axis] = array.at(place);
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].axis < 0) continue;
      const size_t k = i < runs_before ? i : i + common.ndim();
      source[runs[i].axis] = runs[i].positions[at[k]];
    }
    int64_t position = 0;
    for (int i = 0; i < shape.ndim(); ++i) {
      position = position * shape[i] + source[i];
    }
    selected.positions.push_back(position);
  } while (advance(at, selected.shape));
  return selected;
}

Shape random_shape(std::mt19937_64& random) {
  Shape shape;
  const int64_t ndim = 1 + below(5, random);
  for (int64_t i = 0; i < ndim; ++i) {
    shape.push_back(below(40, random) == 0 ? 0 : 1 + below(4, random));
  }
  return shape;
}

Array random_layout(const Shape& shape, std::mt19937_64& random, Dtype dtype) {
  std::vector<int64_t> axes(shape.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  std::shuffle(axes.begin(), axes.end(), random);
  Shape stored;
  Axes back = Shape::filled(shape.ndim(), 0);
  std::vector<Index> part;
  for (int i = 0; i < shape.ndim(); ++i) {
    const int64_t extent = shape[static_cast<int>(axes[i])];
    const int64_t step = 1 + below(2, random);
    stored.push_back(extent * step);
    part.push_back(below(2, random) == 0
                       ? Slice(0, extent * step, step)
                       : Slice(std::nullopt, std::nullopt, -step));
    back[static_cast<int>(axes[i])] = i;
  }
  const Array memory = xp::full(stored, 77, dtype);
  const Array view =
      shape.empty() ? memory : xp::basic_index(memory, part).transpose(back);
  view.assign(
      xp::arange(size_of(shape), Dtype::kInt64).astype(dtype).reshape(shape));
  return view;
}

std::vector<AdvancedIndex> random_index(const Shape& shape,
                                        std::mt19937_64& random) {
  // All index arrays broadcast to this; masks must select as many positions.
  Shape common;
  const auto index_array = [&](int64_t extent) {
    Shape own = common;
    if (below(3, random) == 0 && !own.empty()) own.erase(0);
    for (int64_t& side : own) {
      if (below(4, random) == 0) side = 1;
    }
    std::vector<int64_t> values(size_of(own));
    for (int64_t& value : values) value = below(2 * extent, random) - extent;
    const Array array = xp::array(values, own);
    return below(2, random) == 0 ? array.astype(Dtype::kInt16) : array;
  };
  const auto random_end = [&](int64_t extent) -> std::optional<int64_t> {
    if (below(2, random) == 0) return std::nullopt;
    return below(2 * extent + 4, random) - extent - 2;
  };
  while (true) {
    common.clear();
    for (int64_t i = below(3, random); i > 0; --i) {
      common.push_back(1 + below(3, random));
    }
    std::vector<AdvancedIndex> indexes;
    bool any = false;
    bool has_ellipsis = false;
    bool has_mask = false;
    int axis = 0;
    int result_axes = shape.ndim() + common.ndim();
    while (axis < shape.ndim()) {
      const int64_t extent = shape[axis];
      switch (below(8, random)) {
        case 0:
        case 1:
          if (extent == 0) continue;
          indexes.push_back(index_array(extent));
          any = true;
          ++axis;
          break;
        case 2:
          if (extent == 0) continue;
          indexes.push_back(below(2 * extent, random) - extent);
          ++axis;
          break;
        case 3:
        case 4: {
          const int64_t step = 1 + below(2, random);
          indexes.push_back(Slice(random_end(extent), random_end(extent),
                                  below(2, random) == 0 ? step : -step));
          ++axis;
          break;
        }
        case 5:
          if (result_axes >= 8) continue;
          ++result_axes;
          indexes.push_back(newaxis);
          break;
        case 6: {
          if (has_mask || result_axes >= 8) continue;
          Shape covered;
          for (int64_t n = below(3, random); n > 0; --n) {
            if (axis + covered.ndim() == shape.ndim()) break;
            covered.push_back(shape[axis + covered.ndim()]);
          }
          std::vector<int64_t> flags(size_of(covered));
          // Other arrays must broadcast against the selected positions.
          const int64_t hits =
              common.empty()
                  ? below(static_cast<int64_t>(flags.size()) + 1, random)
                  : common.back();
          if (hits > static_cast<int64_t>(flags.size())) continue;
          std::fill_n(flags.begin(), hits, 1);
          std::shuffle(flags.begin(), flags.end(), random);
          indexes.push_back(xp::array(flags, covered).astype(Dtype::kBool));
          ++result_axes;
          any = has_mask = true;
          axis += covered.ndim();
          break;
        }
        default:
          if (has_ellipsis) continue;
          has_ellipsis = true;
          indexes.push_back(ellipsis);
          // The axes after the ellipsis are indexed from here on.
          axis += static_cast<int>(below(shape.ndim() - axis + 1, random));
          break;
      }
      if (!has_ellipsis && below(8, random) == 0) break;
    }
    if (any) return indexes;
  }
}

}  // namespace catena::testing
