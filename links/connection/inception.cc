#include "catena/links/connection/inception.h"

#include "catena/functions/activation/relu.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/pooling/max_pooling.h"

namespace catena::links {
namespace {

ConvolutionOptions padded(int64_t pad, const InceptionOptions& options) {
  return {.pad = pad,
          .initialW = options.conv_init,
          .initial_bias = options.bias_init};
}

}  // namespace

Inception::Inception(std::optional<int64_t> in_channels, int64_t out1,
                     int64_t proj3, int64_t out3, int64_t proj5, int64_t out5,
                     int64_t proj_pool, const InceptionOptions& options)
    : conv1(this, "conv1", in_channels, out1, 1, padded(0, options)),
      proj3(this, "proj3", in_channels, proj3, 1, padded(0, options)),
      conv3(this, "conv3", proj3, out3, 3, padded(1, options)),
      proj5(this, "proj5", in_channels, proj5, 1, padded(0, options)),
      conv5(this, "conv5", proj5, out5, 5, padded(2, options)),
      projp(this, "projp", in_channels, proj_pool, 1, padded(0, options)) {}

Variable Inception::forward(const Variable& x) {
  using functions::relu;
  const Variable pooled =
      functions::max_pooling_2d(x, 3, {.stride = 1, .pad = 1});
  return relu(functions::concat(
      {conv1(x), conv3(relu(proj3(x))), conv5(relu(proj5(x))), projp(pooled)}));
}

}  // namespace catena::links
