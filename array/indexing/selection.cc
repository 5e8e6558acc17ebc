#include "catena/array/indexing/selection.h"

#include <optional>
#include <utility>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/indexing/offset_ops.h"
#include "catena/array/kernels/kernel_slot.h"

namespace catena::array {
namespace {

using Axis = Selection::Axis;

// The axes merged to one, if a single stride suffices.
std::optional<Axis> merge(const std::vector<Axis>& axes) {
  Axis merged{1, 0};
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (axis->extent == 1) continue;
    if (merged.extent == 1) {
      merged.stride = axis->stride;
    } else if (axis->stride != merged.stride * merged.extent) {
      return std::nullopt;
    }
    merged.extent *= axis->extent;
  }
  return merged;
}

// Offsets in items from a base to the elements, as int64: sums over several
// axes. The base is moved so that no offset is negative.
class Offsets {
 public:
  Offsets(const Shape& shape, Device device, char* base, int64_t itemsize)
      : total_(zeros(shape, Dtype::kInt64, device)),
        base_(base),
        itemsize_(itemsize) {}

  // Adds index * axis.stride; the index broadcasts to the shape.
  void add(const Array& index, const Axis& axis) {
    int64_t bias = 0;
    if (axis.stride < 0) {
      base_ += (axis.extent - 1) * axis.stride;
      bias = -(axis.extent - 1) * axis.stride / itemsize_;
      extent_ += bias;
    } else {
      extent_ += (axis.extent - 1) * axis.stride / itemsize_;
    }
    const AddOffsetOp op{axis.extent, axis.stride / itemsize_, bias,
                         IndexMode::kRaise,
                         /*checks=*/!total_.device().shares_host_memory()};
    const KernelOperand operands[] = {index, total_};
    run_elementwise(kernel_slot<OffsetFamily, AddOffsetOp>, Dtype::kInt64,
                    operands, &op);
  }

  // Adds i * axis.stride along axis `position` of the shape.
  void add_whole(int position, const Axis& axis) {
    if (axis.extent == 1 || axis.stride == 0) return;
    Shape shape = Shape::filled(total_.ndim(), 1);
    shape[position] = axis.extent;
    add(arange(axis.extent, Dtype::kInt64, total_.device()).reshape(shape),
        axis);
  }

  const Array& array() const { return total_; }
  char* base() const { return base_; }
  int64_t extent() const { return extent_; }

 private:
  Array total_;
  char* base_;
  int64_t itemsize_;
  int64_t extent_ = 1;
};

// `index` with trailing axes of extent 1.
Array with_trailing_axes(const Array& index, int count) {
  Shape shape = index.shape();
  for (int i = 0; i < count; ++i) shape.push_back(1);
  return index.reshape(shape);
}

}  // namespace

Selection::Selection(const Array& a, std::vector<Axis> outer,
                     const Shape& index_shape, std::vector<Part> parts,
                     std::vector<Axis> inner)
    : array_(a),
      outer_(std::move(outer)),
      index_shape_(index_shape),
      parts_(std::move(parts)),
      inner_(std::move(inner)) {
  for (const Axis& axis : outer_) shape_.push_back(axis.extent);
  for (const int64_t extent : index_shape_) shape_.push_back(extent);
  for (const Axis& axis : inner_) shape_.push_back(axis.extent);
}

// All extents of the shape are at least 1. `offsets` owns the indices to which
// the result points.
IndexedArgs Selection::lower(Array& offsets) const {
  IndexedArgs args{};
  args.device = array_.device();
  args.mode = IndexMode::kRaise;
  args.inner_bytes = array_.itemsize();
  std::vector<Axis> inner = inner_;
  while (!inner.empty() && (inner.back().extent == 1 ||
                            inner.back().stride == args.inner_bytes)) {
    args.inner_bytes *= inner.back().extent;
    inner.pop_back();
  }
  const std::optional<Axis> outer = merge(outer_);
  args.outer = outer ? outer->extent : 1;
  args.outer_stride = outer ? outer->stride : 0;

  if (outer && inner.empty() && parts_.size() == 1) {
    const Part& part = parts_[0];
    offsets = part.index.broadcast_to(index_shape_).contiguous();
    args.array = array_.raw_data();
    args.extent = part.axis.extent;
    args.axis_stride = part.axis.stride;
  } else {
    Shape shape;
    if (!outer) {
      for (const Axis& axis : outer_) shape.push_back(axis.extent);
    }
    const int leading = shape.ndim();
    for (const int64_t extent : index_shape_) shape.push_back(extent);
    for (const Axis& axis : inner) shape.push_back(axis.extent);
    const int trailing = static_cast<int>(inner.size());
    Offsets sum(shape, array_.device(), array_.raw_data(), array_.itemsize());
    for (int i = 0; i < leading; ++i) sum.add_whole(i, outer_[i]);
    for (const Part& part : parts_) {
      sum.add(with_trailing_axes(part.index, trailing), part.axis);
    }
    for (int i = 0; i < trailing; ++i) {
      sum.add_whole(shape.ndim() - trailing + i, inner[i]);
    }
    offsets = sum.array();
    args.array = sum.base();
    args.extent = sum.extent();
    args.axis_stride = array_.itemsize();
  }
  args.indices = offsets.data<int64_t>();
  args.count = offsets.size();
  return args;
}

Array Selection::gather() const {
  Array result = empty(shape_, array_.dtype(), array_.device());
  if (result.size() == 0) return result;
  Array offsets;
  IndexedArgs args = lower(offsets);
  args.values = result.raw_data();
  kernel_slot<TakeKernels>.on(args.device).take(args, array_.itemsize());
  return result;
}

void Selection::scatter(const KernelSlot<ScatterFamily::Table>& slot,
                        const Operand& values,
                        std::string_view operation) const {
  Array given = values.is_array() ? values.array()
                                  : full({}, values.scalar(), array_.dtype(),
                                         array_.device());
  const Array* const both[] = {&array_, &given};
  common_device(both, operation);
  if (broadcast_shapes(given.shape(), shape_, operation) != shape_) {
    raise<ShapeError>(operation, ": expected values that broadcast to ", shape_,
                      ", got ", given.shape());
  }
  if (size_of(shape_) == 0) return;
  // A cast copies; an array that already has the dtype may alias the target.
  const bool own = given.dtype() != array_.dtype();
  if (own) given = given.astype(array_.dtype());
  given = given.broadcast_to(shape_);
  if (!given.is_contiguous() || (!own && may_share_memory(given, array_))) {
    given = given.copy();
  }
  Array offsets;
  IndexedArgs args = lower(offsets);
  if (may_share_memory(offsets, array_)) {
    offsets = offsets.copy();
    args.indices = offsets.data<int64_t>();
  }
  args.values = given.raw_data();
  slot.on(args.device)[array_.dtype()](args);
}

void Selection::scatter_update(const Operand& values,
                               std::string_view operation) const {
  scatter(kernel_slot<ScatterFamily, ScatterUpdate>, values, operation);
}

void Selection::scatter_add(const Operand& values,
                            std::string_view operation) const {
  scatter(kernel_slot<ScatterFamily, ScatterAdd>, values, operation);
}

Selection select_along_axis(const Array& a, const Array& indices, int axis,
                            std::string_view operation) {
  if (indices.ndim() != a.ndim()) {
    raise<ShapeError>(operation, ": expected indices with ", a.ndim(),
                      " axes for an array of shape ", a.shape(), ", got shape ",
                      indices.shape());
  }
  Shape source = a.shape();
  source[axis] = 1;
  Shape shape = indices.shape();
  shape[axis] = 1;
  shape = broadcast_shapes(shape, source, operation);
  shape[axis] = indices.shape()[axis];
  // The other axes are indexed by aranges.
  std::vector<Selection::Part> parts;
  for (int i = 0; i < a.ndim(); ++i) {
    if (i == axis || a.shape()[i] == 1) continue;
    Shape along = Shape::filled(a.ndim(), 1);
    along[i] = a.shape()[i];
    parts.push_back(
        {arange(a.shape()[i], Dtype::kInt64, a.device()).reshape(along),
         {a.shape()[i], a.strides()[i]}});
  }
  parts.push_back({indices, {a.shape()[axis], a.strides()[axis]}});
  return Selection(a, {}, shape, std::move(parts), {});
}

}  // namespace catena::array
