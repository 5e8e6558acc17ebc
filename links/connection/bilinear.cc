#include "catena/links/connection/bilinear.h"

#include "catena/array/core/error.h"
#include "catena/functions/connection/bilinear.h"

namespace catena::links {
namespace {

Shape weight_shape(int64_t left_size, int64_t right_size, int64_t out_size) {
  if (left_size <= 0 || right_size <= 0 || out_size <= 0) {
    raise<ValueError>("Bilinear: expected positive sizes, got left_size ",
                      left_size, ", right_size ", right_size, " and out_size ",
                      out_size);
  }
  return {left_size, right_size, out_size};
}

}  // namespace

Bilinear::Bilinear(int64_t left_size, int64_t right_size, int64_t out_size,
                   const BilinearOptions& options)
    : W(this, "W", options.initialW,
        weight_shape(left_size, right_size, out_size)),
      V1(options.nobias ? Param()
                        : Param(this, "V1", options.initialV1,
                                Shape{left_size, out_size})),
      V2(options.nobias ? Param()
                        : Param(this, "V2", options.initialV2,
                                Shape{right_size, out_size})),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_size})) {}

Variable Bilinear::forward(const Variable& e1, const Variable& e2) {
  return functions::bilinear(e1, e2, W, V1, V2, b);
}

}  // namespace catena::links
