#include "catena/array/take.h"

#include <limits>
#include <string>

#include "catena/array/aliasing.h"
#include "catena/array/core/deferred_errors.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/output.h"
#include "catena/array/take_kernel.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

std::string describe_bad_index(std::string_view operation,
                               const int64_t* numbers) {
  return str(operation, ": index ", numbers[0],
             " is out of range for an axis with extent ", numbers[1]);
}
constexpr DeferredError kBadIndex = {describe_bad_index,
                                     throw_error<IndexError>};

// The indices as contiguous int64, all valid under `mode`; those that a GPU's
// kernel uses are checked by that kernel.
Array checked_indices(const Array& indices, int64_t extent, IndexMode mode,
                      bool uses_them, std::string_view operation) {
  if (!is_integral(indices.dtype())) {
    raise<DtypeError>(operation, ": expected integer indices, got ",
                      indices.dtype());
  }
  if (extent == 0 && indices.size() > 0) {
    raise<IndexError>(operation,
                      ": expected no indices into an axis with "
                      "extent 0, got ",
                      indices.size());
  }
  Array plain = indices;
  if (indices.dtype() == Dtype::kUInt64 && extent > 0) {
    // Half of the uint64 values would look like negative indices.
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    plain = mode == IndexMode::kWrap ? remainder(indices, extent)
                                     : minimum(indices, kMax);
  }
  plain =
      plain.astype(Dtype::kInt64, Array::CopyPolicy::kIfNeeded).contiguous();
  if (mode != IndexMode::kRaise || plain.size() == 0 ||
      (uses_them && !plain.device().shares_host_memory())) {
    return plain;
  }
  const int64_t bad = kernel_slot<TakeKernels>.on(plain.device()).find_bad_index(
      plain.device(), plain.data<int64_t>(), plain.size(), extent);
  if (bad >= 0) {
    const Array flat = indices.ravel();
    raise<IndexError>(operation, ": index ", flat[bad].item_as_scalar(),
                      " is out of range for an axis with extent ", extent);
  }
  return plain;
}

// `a` viewed as (outer, extent, inner) around the axis, if its layout allows.
std::optional<IndexedArgs> fold_around(const Array& a, int axis) {
  IndexedArgs args;
  args.device = a.device();
  args.array = a.raw_data();
  args.extent = a.shape()[axis];
  args.axis_stride = a.strides()[axis];
  args.inner_bytes = a.itemsize();
  for (int i = a.ndim() - 1; i > axis; --i) {
    const int64_t extent = a.shape()[i];
    if (extent != 1 && a.strides()[i] != args.inner_bytes) return std::nullopt;
    args.inner_bytes *= extent;
  }
  args.outer = 1;
  args.outer_stride = 0;
  for (int i = axis - 1; i >= 0; --i) {
    const int64_t extent = a.shape()[i];
    if (extent == 1) continue;
    if (args.outer == 1) {
      args.outer_stride = a.strides()[i];
    } else if (a.strides()[i] != args.outer_stride * args.outer) {
      return std::nullopt;
    }
    args.outer *= extent;
  }
  return args;
}

void set_indices(IndexedArgs& args, const Array& indices, IndexMode mode,
                 std::string_view operation) {
  args.mode = mode;
  args.operation = operation;
  args.error = &kBadIndex;
  args.indices = indices.data<int64_t>();
  args.count = indices.size();
}

Shape taken_shape(const Shape& shape, int axis, const Shape& indices) {
  Shape result;
  for (int i = 0; i < axis; ++i) result.push_back(shape[i]);
  for (const int64_t extent : indices) result.push_back(extent);
  for (int i = axis + 1; i < shape.ndim(); ++i) result.push_back(shape[i]);
  return result;
}

Array take_along(const Array& a, const Array& indices, int axis, IndexMode mode,
                 const Array& out) {
  const Array* const both[] = {&a, &indices};
  common_device(both, "take");
  const Shape shape = taken_shape(a.shape(), axis, indices.shape());
  checked_size(shape, a.itemsize(), "take");
  const Output output("take", out, shape, a.dtype(), a.device());
  const Array plain = checked_indices(indices, a.shape()[axis], mode,
                                      size_of(shape) > 0, "take");
  const Array result = output.room({&a, &indices});
  if (result.size() == 0) return output.finish(result);
  std::optional<IndexedArgs> args = fold_around(a, axis);
  const Array source = args ? a : a.copy();
  if (!args) args = fold_around(source, axis);
  set_indices(*args, plain, mode, "take");
  args->values = result.raw_data();
  kernel_slot<TakeKernels>.on(a.device()).take(*args, a.itemsize());
  return output.finish(result);
}

// The values of a scatter: of a's dtype, contiguous, not sharing memory with a.
Array scatter_values(const Array& a, const Operand& values, const Shape& shape,
                     std::string_view operation) {
  if (!values.is_array()) {
    return full(shape, values.scalar(), a.dtype(), a.device());
  }
  const Array& given = values.array();
  if (broadcast_shapes(given.shape(), shape, operation) != shape) {
    raise<ShapeError>(operation, ": cannot broadcast values of shape ",
                      given.shape(), " to ", shape);
  }
  const Array plain = given.astype(a.dtype(), Array::CopyPolicy::kIfNeeded)
                          .broadcast_to(shape)
                          .contiguous();
  return may_share_memory(plain, a) ? plain.copy() : plain;
}

void scatter(const KernelSlot<ScatterFamily::Table>& slot, const Array& a,
             const Array& indices, int64_t axis, const Operand& values,
             IndexMode mode) {
  const std::string_view name = slot.name;
  check_writable(a, name);
  const int position = normalize_axis(axis, a.ndim(), name);
  const Array* const both[] = {&a, &indices};
  common_device(both, name);
  if (values.is_array()) {
    const Array* const pair[] = {&a, &values.array()};
    common_device(pair, name);
  }
  const Shape shape = taken_shape(a.shape(), position, indices.shape());
  checked_size(shape, a.itemsize(), name);
  const Array own_values = scatter_values(a, values, shape, name);
  Array plain = checked_indices(indices, a.shape()[position], mode,
                                own_values.size() > 0, name);
  if (own_values.size() == 0) return;
  if (may_share_memory(plain, a)) plain = plain.copy();
  std::optional<IndexedArgs> args = fold_around(a, position);
  const Array target = args ? a : a.copy();
  if (!args) args = fold_around(target, position);
  set_indices(*args, plain, mode, name);
  args->values = own_values.raw_data();
  slot.on(a.device())[a.dtype()](*args);
  if (!target.is_same(a)) a.assign(target);
}

}  // namespace

std::string_view index_mode_name(IndexMode mode) {
  constexpr std::string_view kNames[] = {"raise", "wrap", "clip", "skip"};
  return kNames[static_cast<int>(mode)];
}

Array take(const Array& a, const Array& indices, const TakeOptions& options) {
  if (!options.axis) {
    return take_along(a.ravel(), indices, 0, options.mode, options.out);
  }
  return take_along(a, indices, normalize_axis(*options.axis, a.ndim(), "take"),
                    options.mode, options.out);
}

void scatter_add(const Array& a, const Array& indices, Axis axis,
                 const Operand& values, const IndexModeOptions& options) {
  if (a.itemsize() == 2 && is_floating(a.dtype())) {
    check_writable(a, "scatter_add");
    const Array sums = a.astype(Dtype::kFloat32);
    scatter(kernel_slot<ScatterFamily, ScatterAdd>, sums, indices, axis, values,
            options.mode);
    a.assign(sums);
    return;
  }
  scatter(kernel_slot<ScatterFamily, ScatterAdd>, a, indices, axis, values,
          options.mode);
}

void scatter_update(const Array& a, const Array& indices, Axis axis,
                    const Operand& values, const IndexModeOptions& options) {
  scatter(kernel_slot<ScatterFamily, ScatterUpdate>, a, indices, axis, values,
          options.mode);
}

void put(const Array& a, const Array& indices, const Operand& values,
         const IndexModeOptions& options) {
  check_writable(a, "put");
  const Array flat = a.ravel();
  scatter(kernel_slot<ScatterFamily, ScatterUpdate>, flat, indices, 0, values,
          options.mode);
  if (flat.storage() != a.storage()) a.assign(flat.reshape(a.shape()));
}

}  // namespace catena::array

namespace catena {

Array Array::take(const Array& indices,
                  const array::TakeOptions& options) const {
  return array::take(*this, indices, options);
}

}  // namespace catena
