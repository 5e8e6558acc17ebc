#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/examples/imagenet/report_scores.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/average.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/mlp_convolution_2d.h"
#include "catena/links/initializers/initializers.h"

namespace catena::examples {

namespace F = catena::functions;
namespace L = catena::links;

// Network in network: each convolution is followed by a small perceptron at
// every position, and the scores are means over the positions, so that pictures
// may have any size (Lin, Chen and Yan: Network In Network, 2014).
class NIN : public Chain<NIN> {
 public:
  // The side of the pictures, and one that is enough for made-up ones.
  static constexpr int64_t kInsize = 227;
  static constexpr int64_t kSmallInsize = 56;

  explicit NIN(int64_t classes)
      : mlpconv1(this, "mlpconv1", mlpconv({96, 96, 96}, 11, 0, 4)),
        mlpconv2(this, "mlpconv2", mlpconv({256, 256, 256}, 5, 2)),
        mlpconv3(this, "mlpconv3", mlpconv({384, 384, 384}, 3, 1)),
        mlpconv4(this, "mlpconv4", mlpconv({1024, 1024, classes}, 3, 1)) {}

  // x is (N, 3, h, w), t is (N,).
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = F::max_pooling_2d(F::relu(mlpconv1(x)), 3, {.stride = 2});
    h = F::max_pooling_2d(F::relu(mlpconv2(h)), 3, {.stride = 2});
    h = F::max_pooling_2d(F::relu(mlpconv3(h)), 3, {.stride = 2});
    h = mlpconv4(F::dropout(h));
    return report_scores(F::average(h, {2, 3}), t, this);
  }

 private:
  static L::MLPConvolution2D mlpconv(const std::vector<int64_t>& channels,
                                     int64_t ksize, int64_t pad,
                                     int64_t stride = 1) {
    return L::MLPConvolution2D(
        std::nullopt, channels, ksize,
        {.stride = stride, .pad = pad, .conv_init = initializers::HeNormal()});
  }

  Child<L::MLPConvolution2D> mlpconv1, mlpconv2, mlpconv3, mlpconv4;
};

}  // namespace catena::examples
