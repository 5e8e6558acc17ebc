#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Selection and update along one axis by an integer array. Negative indices
// count from the end.
namespace catena::array {

// How an index outside [-extent, extent) is handled.
enum class IndexMode : uint8_t {
  kRaise,  // Throws IndexError naming it; on CUDA when the host next waits for
           // the device, and until then as with kSkip
  kWrap,   // taken modulo the extent
  kClip,   // the nearest valid one; negative indices become 0
  kSkip,   // take gives 0 and scatter nothing, for negative indices, too
};
std::string_view index_mode_name(IndexMode mode);

struct IndexModeOptions {
  NamedFieldsOnly keywords = {};
  IndexMode mode = IndexMode::kRaise;
};

struct TakeOptions {
  NamedFieldsOnly keywords = {};
  std::optional<Axis> axis = std::nullopt;  // nullopt: flattened
  IndexMode mode = IndexMode::kRaise;
  // As in OutOption (array.h); may share memory with `a` and the indices.
  Array out = {};
};

// The slices of `a` along `axis` at `indices`, whose shape replaces the axis:
// indices of shape (2, 3) along axis 1 of (5, 4) give (5, 2, 3). Without an
// axis `a` is flattened first. Throws DtypeError unless the indices are
// integers, DeviceError and IndexError, also for any index into an axis of
// extent 0; and the errors of OutOption for an unsuitable `out`.
Array take(const Array& a, const Array& indices,
           const TakeOptions& options = {});
template <class = void>
Array take(const Array& a, const Array& indices, std::optional<Axis> axis) {
  return take(a, indices, {.axis = axis});
}

// a[..., indices, ...] += values along `axis`, in place; an index that occurs n
// times adds n values. `values` broadcasts to the shape of take(a, indices,
// axis) and is cast to a's dtype. Each element of `a` receives its values in
// the order of the indices, so the result does not depend on threads; 16-bit
// floats are summed in float32. A GPU first sums values in parts of 256, in a
// fixed order, where an index occurs 512 times or more: the result is the same
// each time, but floats may be rounded differently from the CPU's. Throws as
// take does, ShapeError, and ValueError when `a` is a broadcast view.
void scatter_add(const Array& a, const Array& indices, Axis axis,
                 const Operand& values, const IndexModeOptions& options = {});

// Like scatter_add, but assigns: for a repeated index the last value wins.
void scatter_update(const Array& a, const Array& indices, Axis axis,
                    const Operand& values,
                    const IndexModeOptions& options = {});

// scatter_update of the flattened array.
void put(const Array& a, const Array& indices, const Operand& values,
         const IndexModeOptions& options = {});

}  // namespace catena::array
