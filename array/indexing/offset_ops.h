#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/kernels/elementwise_args.h"
#include "catena/array/take_kernel.h"

// Integer functors that convert between indices along several axes and linear
// offsets.
namespace catena::array {

// An offset that take and scatter leave out (IndexMode::kRaise).
inline constexpr int64_t kNoOffset = std::numeric_limits<int64_t>::min();

// offset += resolve_index(index) * stride + bias
struct AddOffsetOp {
  static constexpr std::string_view kName = "index offsets";
  int64_t extent;
  int64_t stride;
  int64_t bias;
  IndexMode mode;
  // Indices out of range, and whatever is added to them, give kNoOffset.
  bool checks = false;
  CATENA_HOST_DEVICE void operator()(int64_t index, int64_t& offset) const {
    if (checks && (offset == kNoOffset || index < -extent || index >= extent)) {
      offset = kNoOffset;
      return;
    }
    offset += resolve_index(index, extent, mode) * stride + bias;
  }
};

// The index along one axis of a position in C order.
struct UnravelOp {
  static constexpr std::string_view kName = "unravel_index";
  int64_t divisor;  // the product of the later extents
  int64_t extent;
  CATENA_HOST_DEVICE int64_t operator()(int64_t position) const {
    return position / divisor % extent;
  }
};

struct OffsetFamily : ElementwiseFamily {
  template <class Op>
  using Dtypes = TypeList<int64_t>;
};

}  // namespace catena::array
