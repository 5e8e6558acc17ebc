#include "catena/links/connection/linear.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/functions/connection/linear.h"
#include "catena/links/sample_size.h"

namespace catena::links {
namespace {

std::optional<Shape> weight_shape(std::optional<int64_t> in_size,
                                  int64_t out_size) {
  if (out_size <= 0 || in_size.value_or(1) <= 0) {
    raise<ValueError>("Linear: expected positive sizes, got in_size ",
                      in_size ? str(*in_size) : "none", " and out_size ",
                      out_size);
  }
  if (!in_size) return std::nullopt;
  return Shape{out_size, *in_size};
}

}  // namespace

Linear::Linear(int64_t out_size, const LinearOptions& options)
    : Linear(std::nullopt, out_size, options) {}

Linear::Linear(std::optional<int64_t> in_size, int64_t out_size,
               const LinearOptions& options)
    : W(this, "W", options.initialW, weight_shape(in_size, out_size)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_size})),
      out_size_(out_size) {}

Variable Linear::forward(const Variable& x,
                         const functions::LinearOptions& options) {
  if (!W.is_initialized()) {
    // linear() refuses what is clamped here.
    const int64_t first =
        std::clamp<int64_t>(options.n_batch_axes, 0, x.ndim());
    W.initialize({out_size_, sample_size(x, first)});
  }
  return functions::linear(x, W, b, options);
}

}  // namespace catena::links
