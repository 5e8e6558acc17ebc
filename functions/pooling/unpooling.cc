#include "catena/functions/pooling/unpooling.h"

#include "catena/array/core/error.h"
#include "catena/autograd/config.h"
#include "catena/functions/pooling/internal/window_maps.h"

namespace catena::functions {
namespace {

WindowArgs windows_of(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options,
                      std::string_view function, std::optional<int> ndim) {
  const WindowCall call{.function = function,
                        .ksize = ksize,
                        .stride = options.stride,
                        .pad = options.pad,
                        .cover_all = options.cover_all,
                        .ndim = ndim};
  const VariableRef inputs[] = {x};
  TypeCheck check(function, inputs);
  check_window_types(check, call);
  return windows_onto(x.shape(), options.outsize, call);
}

}  // namespace

Variable unpooling_nd(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options) {
  return spread_windows(
      x, windows_of(x, ksize, options, "unpooling_nd", std::nullopt), 1);
}

Variable unpooling_1d(const Variable& x, int64_t ksize,
                      const UnpoolingOptions& options) {
  return spread_windows(x, windows_of(x, ksize, options, "unpooling_1d", 1), 1);
}

Variable unpooling_2d(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options) {
  return spread_windows(x, windows_of(x, ksize, options, "unpooling_2d", 2), 1);
}

Variable unpooling_3d(const Variable& x, const Spatial& ksize,
                      const UnpoolingOptions& options) {
  return spread_windows(x, windows_of(x, ksize, options, "unpooling_3d", 3), 1);
}

Variable upsampling_2d(const Variable& x, const Array& indexes,
                       const Spatial& ksize, const UnpoolingOptions& options) {
  const WindowArgs window = windows_of(x, ksize, options, "upsampling_2d", 2);
  if (indexes.dtype() != Dtype::kInt32 || indexes.shape() != x.shape() ||
      indexes.device() != x.device()) {
    raise<ValueError>("upsampling_2d: expected indexes int32 ", x.shape(),
                      " on ", x.device(), ", got ", indexes.dtype(), " ",
                      indexes.shape(), " on ", indexes.device());
  }
  // The caller may write to the indexes before backward.
  return place_into_windows(
      x, window,
      config().enable_backprop ? indexes.copy() : indexes.contiguous());
}

}  // namespace catena::functions
