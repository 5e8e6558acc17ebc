// Views: new shapes, strides and offsets over the same memory.

#include <algorithm>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/index.h"

namespace catena {
namespace {

Array view_of(const Array& a, const Shape& shape, const Strides& strides,
              int64_t extra_offset = 0) {
  const int64_t offset = a.raw_data() - a.storage()->data() + extra_offset;
  return Array(a.storage(), a.dtype(), shape, strides, offset);
}

// The shape with -1 replaced to match the size.
Shape resolve_shape(const Shape& requested, const Array& a) {
  Shape shape = requested;
  int64_t known = 1;
  int unknown = -1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && unknown < 0) {
      unknown = i;
    } else if (shape[i] < 0) {
      raise<ShapeError>(
          "reshape: expected extents of at least 0 and at most "
          "one -1, got ",
          requested);
    } else if (__builtin_mul_overflow(known, shape[i], &known)) {
      known = -1;
      break;
    }
  }
  const bool fits =
      unknown < 0 ? known == a.size() : known > 0 && a.size() % known == 0;
  if (!fits) {
    raise<ShapeError>("reshape: cannot make shape ", requested, " from ",
                      a.size(), " elements of shape ", a.shape());
  }
  if (unknown >= 0) shape[unknown] = a.size() / known;
  return shape;
}

// The strides that view `a` as `shape` without a copy, if possible. Groups of
// old axes that form one block are matched to groups of new axes of the same
// size.
std::optional<Strides> strides_for_reshape(const Array& a, const Shape& shape) {
  if (a.is_contiguous()) return contiguous_strides(shape, a.itemsize());
  Shape old_shape;
  Strides old_strides;
  for (int i = 0; i < a.ndim(); ++i) {
    if (a.shape()[i] == 1) continue;
    old_shape.push_back(a.shape()[i]);
    old_strides.push_back(a.strides()[i]);
  }
  Strides strides = shape;
  int old_axis = 0;
  int axis = 0;
  while (old_axis < old_shape.size()) {
    const int first_old = old_axis;
    const int first = axis;
    int64_t old_size = old_shape[old_axis++];
    int64_t size = axis < shape.size() ? shape[axis++] : 1;
    while (old_size != size) {
      if (old_size < size) {
        old_size *= old_shape[old_axis++];
      } else {
        size *= shape[axis++];
      }
    }
    for (int i = first_old; i + 1 < old_axis; ++i) {
      if (old_strides[i] != old_strides[i + 1] * old_shape[i + 1]) {
        return std::nullopt;
      }
    }
    int64_t step = old_strides[old_axis - 1];
    for (int i = axis - 1; i >= first; --i) {
      strides[i] = step;
      step *= shape[i];
    }
  }
  for (; axis < shape.size(); ++axis) strides[axis] = a.itemsize();
  return strides;
}

}  // namespace

Array Array::transpose(const Axes& axes) const {
  Shape shape;
  Strides strides;
  if (axes.empty()) {
    for (int i = ndim() - 1; i >= 0; --i) {
      shape.push_back(this->shape()[i]);
      strides.push_back(this->strides()[i]);
    }
    return view_of(*this, shape, strides);
  }
  if (axes.size() != ndim()) {
    raise<ValueError>("transpose: expected ", ndim(), " axes for shape ",
                      this->shape(), ", got ", axes);
  }
  normalize_axes(axes, ndim(), "transpose");
  for (const int64_t axis : axes) {
    const int i = normalize_axis(axis, ndim(), "transpose");
    shape.push_back(this->shape()[i]);
    strides.push_back(this->strides()[i]);
  }
  return view_of(*this, shape, strides);
}

Array Array::reshape(const Shape& requested) const {
  const Shape shape = resolve_shape(requested, *this);
  if (shape == this->shape()) return *this;
  if (size() == 0) {
    return view_of(*this, shape, contiguous_strides(shape, itemsize()));
  }
  if (const auto strides = strides_for_reshape(*this, shape)) {
    return view_of(*this, shape, *strides);
  }
  return copy().reshape(shape);
}

Array Array::broadcast_to(const Shape& shape) const {
  checked_size(shape, itemsize(), "broadcast_to");
  const int extra = shape.size() - ndim();
  bool fits = extra >= 0;
  Strides strides = shape;
  for (int i = 0; fits && i < shape.size(); ++i) {
    const bool own = i >= extra;
    const int64_t extent = own ? this->shape()[i - extra] : 1;
    fits = extent == shape[i] || extent == 1;
    strides[i] = own && extent == shape[i] ? this->strides()[i - extra] : 0;
  }
  if (!fits) {
    raise<ShapeError>("broadcast_to: cannot broadcast shape ", this->shape(),
                      " to ", shape);
  }
  return view_of(*this, shape, strides);
}

Array Array::expand_dims(const AxisOption& options) const {
  const int position = normalize_axis(options.axis, ndim() + 1, "expand_dims");
  Shape shape = this->shape();
  Strides strides = this->strides();
  shape.insert(position, 1);
  strides.insert(position, itemsize());
  return view_of(*this, shape, strides);
}

Array Array::squeeze(const AxisSetOption& options) const {
  const AxisSet& axis = options.axis;
  Shape shape;
  Strides strides;
  const Axes removed = axis.normalized(ndim(), "squeeze");
  for (int i = 0; i < ndim(); ++i) {
    const bool remove =
        axis.is_all() ? this->shape()[i] == 1 : removed.contains(i);
    if (remove && this->shape()[i] != 1) {
      raise<ShapeError>("squeeze: expected axis ", i, " of shape ",
                        this->shape(), " to have extent 1, got ",
                        this->shape()[i]);
    }
    if (remove) continue;
    shape.push_back(this->shape()[i]);
    strides.push_back(this->strides()[i]);
  }
  return view_of(*this, shape, strides);
}

Array Array::view(std::optional<Dtype> dtype) const {
  if (!dtype.has_value() || *dtype == this->dtype()) return *this;
  if (*dtype == Dtype::kBool) {
    raise<DtypeError>(
        "view: expected a dtype other than bool, got an array of ",
        this->dtype());
  }
  const int64_t size = item_size(*dtype);
  Shape shape = this->shape();
  Strides strides = this->strides();
  if (size != itemsize()) {
    const bool fits = !shape.empty() &&
                      (strides.back() == itemsize() || shape.back() == 1) &&
                      shape.back() * itemsize() % size == 0;
    if (!fits) {
      raise<ShapeError>(
          "view: expected a contiguous last axis whose bytes divide into items "
          "of ",
          *dtype, ", got ", this->dtype(), " of shape ", shape, " and strides ",
          strides);
    }
    shape.back() = shape.back() * itemsize() / size;
    strides.back() = size;
  }
  auto places = reinterpret_cast<uintptr_t>(raw_data());
  for (const int64_t stride : strides) places |= static_cast<uintptr_t>(stride);
  if (places % static_cast<uintptr_t>(size) != 0) {
    raise<ValueError>("view: expected elements that are aligned to the ", size,
                      " bytes of ", *dtype, ", got strides ", strides);
  }
  return Array(storage(), *dtype, shape, strides,
               raw_data() - storage()->data());
}

int64_t Array::len() const {
  if (ndim() == 0) {
    raise<ShapeError>("len: expected an array with at least one axis, got ",
                      "shape ()");
  }
  return shape()[0];
}

Array::View Array::operator[](
    const std::initializer_list<Index>& indexes) const {
  return View(array::basic_index(*this, {indexes.begin(), indexes.size()}));
}

Array::View Array::operator[](int64_t index) const {
  const Index one[] = {index};
  return View(array::basic_index(*this, one));
}

namespace array {

SlicePositions slice_positions(std::string_view who, const Slice& slice,
                               int64_t size) {
  const int64_t step = slice.step;
  if (step == 0) {
    raise<IndexError>(who, ": expected a slice step other than 0");
  }
  // Positions are clamped to [0, size] for positive steps, to [-1, size - 1]
  // for negative ones.
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? size : size - 1;
  const auto clamp = [&](std::optional<int64_t> end, int64_t fallback) {
    if (!end.has_value()) return fallback;
    const int64_t position = *end < 0 ? *end + size : *end;
    return std::clamp(position, low, high);
  };
  const int64_t start = clamp(slice.start, step > 0 ? low : high);
  const int64_t stop = clamp(slice.stop, step > 0 ? high : low);
  const int64_t distance = step > 0 ? stop - start : start - stop;
  if (distance <= 0) return {start, step, 0};
  // Unsigned, since the minimum int64 has no positive counterpart.
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step)
                                   : uint64_t{0} - static_cast<uint64_t>(step);
  const auto count =
      static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride + 1);
  return {start, count > 1 ? step : 1, count};
}

Array basic_index(const Array& a, std::span<const Index> indexes) {
  int consumed = 0;
  int ellipses = 0;
  for (const Index& index : indexes) {
    consumed += index.kind() == Index::Kind::kInteger ||
                index.kind() == Index::Kind::kSlice;
    ellipses += index.kind() == Index::Kind::kEllipsis;
  }
  if (consumed > a.ndim()) {
    raise<IndexError>("index: too many indexes: ", consumed,
                      " for an array of shape ", a.shape());
  }
  if (ellipses > 1) {
    raise<IndexError>("index: expected at most one ellipsis, got ", ellipses);
  }
  Shape shape;
  Strides strides;
  int64_t offset = 0;
  int axis = 0;
  const auto keep = [&](int count) {
    for (; count > 0; --count, ++axis) {
      shape.push_back(a.shape()[axis]);
      strides.push_back(a.strides()[axis]);
    }
  };
  for (const Index& index : indexes) {
    switch (index.kind()) {
      case Index::Kind::kNewAxis:
        shape.push_back(1);
        strides.push_back(a.itemsize());
        break;
      case Index::Kind::kEllipsis:
        keep(a.ndim() - consumed);
        break;
      case Index::Kind::kInteger: {
        const int64_t extent = a.shape()[axis];
        const int64_t at = index.integer();
        if (at < -extent || at >= extent) {
          raise<IndexError>("index: ", at, " is out of range for axis ", axis,
                            " with extent ", extent);
        }
        offset += (at < 0 ? at + extent : at) * a.strides()[axis];
        ++axis;
        break;
      }
      case Index::Kind::kSlice: {
        const SlicePositions slice =
            slice_positions("index", index.slice(), a.shape()[axis]);
        if (slice.count > 0) offset += slice.start * a.strides()[axis];
        shape.push_back(slice.count);
        strides.push_back(a.strides()[axis] * slice.step);
        ++axis;
        break;
      }
    }
  }
  keep(a.ndim() - axis);
  return view_of(a, shape, strides, offset);
}

}  // namespace array
}  // namespace catena
