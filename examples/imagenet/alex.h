#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"
#include "catena/examples/imagenet/report_scores.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"

namespace catena::examples {

namespace F = catena::functions;
namespace L = catena::links;

// AlexNet in one piece: its convolutions are not split between two GPUs
// (Krizhevsky, Sutskever and Hinton: ImageNet Classification with Deep
// Convolutional Neural Networks, 2012).
class Alex : public Chain<Alex> {
 public:
  // The side of the pictures, and one that is enough for made-up ones.
  static constexpr int64_t kInsize = 227;
  static constexpr int64_t kSmallInsize = 56;

  explicit Alex(int64_t classes)
      : conv1(this, "conv1", 96, 11, {.stride = 4}),
        conv2(this, "conv2", 256, 5, {.pad = 2}),
        conv3(this, "conv3", 384, 3, {.pad = 1}),
        conv4(this, "conv4", 384, 3, {.pad = 1}),
        conv5(this, "conv5", 256, 3, {.pad = 1}),
        fc6(this, "fc6", 4096),
        fc7(this, "fc7", 4096),
        fc8(this, "fc8", classes) {}

  // x is (N, 3, h, w), t is (N,).
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = F::local_response_normalization(F::relu(conv1(x)));
    h = F::max_pooling_2d(h, 3, {.stride = 2});
    h = F::local_response_normalization(F::relu(conv2(h)));
    h = F::max_pooling_2d(h, 3, {.stride = 2});
    h = F::relu(conv4(F::relu(conv3(h))));
    h = F::max_pooling_2d(F::relu(conv5(h)), 3, {.stride = 2});
    h = F::dropout(F::relu(fc6(h)));
    h = F::dropout(F::relu(fc7(h)));
    return report_scores(fc8(h), t, this);
  }

 private:
  Child<L::Convolution2D> conv1, conv2, conv3, conv4, conv5;
  Child<L::Linear> fc6, fc7, fc8;
};

}  // namespace catena::examples
