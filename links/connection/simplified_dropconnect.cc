#include "catena/links/connection/simplified_dropconnect.h"

#include "catena/array/core/error.h"
#include "catena/functions/noise/simplified_dropconnect.h"

namespace catena::links {
namespace {

std::optional<Shape> weight_shape(std::optional<int64_t> in_size,
                                  int64_t out_size) {
  if (out_size <= 0 || in_size.value_or(1) <= 0) {
    raise<ValueError>(
        "SimplifiedDropconnect: expected positive sizes, got in_size ",
        in_size ? str(*in_size) : "none", " and out_size ", out_size);
  }
  if (!in_size) return std::nullopt;
  return Shape{out_size, *in_size};
}

}  // namespace

SimplifiedDropconnect::SimplifiedDropconnect(
    std::optional<int64_t> in_size, int64_t out_size,
    const SimplifiedDropconnectOptions& options)
    : W(this, "W", options.initialW, weight_shape(in_size, out_size)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_size})),
      out_size_(out_size),
      ratio_(options.ratio) {
  if (!(ratio_ >= 0 && ratio_ < 1)) {
    raise<ValueError>("SimplifiedDropconnect: expected ratio in [0, 1), got ",
                      ratio_);
  }
}

Variable SimplifiedDropconnect::forward(const Variable& x,
                                        const SimplifiedDropconnectCall& call) {
  if (!W.is_initialized()) {
    int64_t in_size = 1;
    for (int d = 1; d < x.ndim(); ++d) in_size *= x.shape()[d];
    W.initialize({out_size_, in_size});
  }
  return functions::simplified_dropconnect(
      x, W, b,
      {.ratio = ratio_,
       .train = call.train,
       .mask = call.mask,
       .use_batchwise_mask = call.use_batchwise_mask});
}

}  // namespace catena::links
