#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"

// Selection and update along one axis by an array of integers. Negative indices
// count from the end.
namespace catena::array {

// What becomes of an index outside [-extent, extent).
enum class IndexMode : uint8_t {
  kRaise,  // IndexError naming it; on CUDA the check waits for the device
  kWrap,   // taken modulo the extent
  kClip,   // the nearest valid one; negative indices become 0
};
std::string_view index_mode_name(IndexMode mode);

struct TakeOptions {
  IndexMode mode = IndexMode::kRaise;
};

// The slices of `a` along `axis` at `indices`, whose shape replaces the axis:
// take of (5, 4) with indices (2, 3) along axis 1 is (5, 2, 3). Without an axis
// `a` is flattened first. DtypeError unless the indices are integers,
// DeviceError, IndexError; IndexError too when the axis has extent 0 and there
// are indices.
Array take(const Array& a, const Array& indices,
           std::optional<int64_t> axis = std::nullopt,
           const TakeOptions& options = {});

// a[..., indices, ...] += values along `axis`, in place, where an index that
// occurs n times adds n values. `values` broadcasts to the shape of
// take(a, indices, axis) and is cast to a's dtype. Each element of `a` receives
// its values in the order of the indices, so the result does not depend on
// threads or the device; 16-bit floats are summed in float32. The errors of
// take, ShapeError, ValueError when `a` is a broadcast view.
void scatter_add(const Array& a, const Array& indices, int64_t axis,
                 const Operand& values, const TakeOptions& options = {});

// The same, writing instead of adding: of values for one element the last
// remains.
void scatter_update(const Array& a, const Array& indices, int64_t axis,
                    const Operand& values, const TakeOptions& options = {});

// scatter_update of the flattened array.
void put(const Array& a, const Array& indices, const Operand& values,
         const TakeOptions& options = {});

}  // namespace catena::array
