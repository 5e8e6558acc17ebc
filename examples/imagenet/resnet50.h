#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"
#include "catena/examples/imagenet/report_scores.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/links/sequential.h"

namespace catena::examples {

namespace F = catena::functions;
namespace L = catena::links;

// What is added to the input, which passes by: a convolution with fewer
// channels (mid) than its input and output, in `groups` parts.
class BottleNeckB : public Chain<BottleNeckB> {
 public:
  BottleNeckB(int64_t in, int64_t mid, int64_t out, int64_t stride,
              int64_t groups)
      : conv1(this, "conv1", convolution(in, mid, 1, stride, 1)),
        bn1(this, "bn1", mid),
        conv2(this, "conv2", convolution(mid, mid, 3, 1, groups)),
        bn2(this, "bn2", mid),
        conv3(this, "conv3", convolution(mid, out, 1, 1, 1)),
        bn3(this, "bn3", out) {}

  Variable forward(const Variable& x) { return F::relu(residual(x) + x); }

 protected:
  static L::Convolution2D convolution(int64_t in, int64_t out, int64_t ksize,
                                      int64_t stride, int64_t groups) {
    return L::Convolution2D(in, out, ksize,
                            {.stride = stride,
                             .pad = ksize / 2,
                             .nobias = true,
                             .initialW = initializers::HeNormal(),
                             .groups = groups});
  }

  Variable residual(const Variable& x) {
    const Variable h = F::relu(bn1(conv1(x)));
    return bn3(conv3(F::relu(bn2(conv2(h)))));
  }

 private:
  Child<L::Convolution2D> conv1;
  Child<L::BatchNormalization> bn1;
  Child<L::Convolution2D> conv2;
  Child<L::BatchNormalization> bn2;
  Child<L::Convolution2D> conv3;
  Child<L::BatchNormalization> bn3;
};

// The first of a block: it changes the shape, so the input is projected.
class BottleNeckA : public Chain<BottleNeckA, BottleNeckB> {
 public:
  BottleNeckA(int64_t in, int64_t mid, int64_t out, int64_t stride,
              int64_t groups)
      : Chain(in, mid, out, stride, groups),
        conv4(this, "conv4", convolution(in, out, 1, stride, 1)),
        bn4(this, "bn4", out) {}

  Variable forward(const Variable& x) {
    return F::relu(residual(x) + bn4(conv4(x)));
  }

 private:
  Child<L::Convolution2D> conv4;
  Child<L::BatchNormalization> bn4;
};

// Residual networks of 50 layers.
class ResNet : public Chain<ResNet> {
 public:
  // The side of the pictures, and one that is enough for made-up ones.
  static constexpr int64_t kInsize = 224;
  static constexpr int64_t kSmallInsize = 56;

  // x is (N, 3, h, w), t is (N,).
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = F::relu(bn1(conv1(x)));
    h = F::max_pooling_2d(h, 3, {.stride = 2});
    h = res5(res4(res3(res2(h))));
    return report_scores(fc(F::average(h, {2, 3})), t, this);
  }

 protected:
  // `mid` are the channels of the first block's bottlenecks.
  ResNet(int64_t classes, int64_t mid, int64_t groups)
      : conv1(this, "conv1", 3, 64, 7,
              {.stride = 2, .pad = 3, .initialW = initializers::HeNormal()}),
        bn1(this, "bn1", 64),
        res2(this, "res2", block(3, 64, mid, 256, 1, groups)),
        res3(this, "res3", block(4, 256, 2 * mid, 512, 2, groups)),
        res4(this, "res4", block(6, 512, 4 * mid, 1024, 2, groups)),
        res5(this, "res5", block(3, 1024, 8 * mid, 2048, 2, groups)),
        fc(this, "fc", 2048, classes) {}

 private:
  static Sequential block(int layers, int64_t in, int64_t mid, int64_t out,
                          int64_t stride, int64_t groups) {
    Sequential bottlenecks(BottleNeckA(in, mid, out, stride, groups));
    for (int i = 1; i < layers; ++i) {
      bottlenecks.append(BottleNeckB(out, mid, out, 1, groups));
    }
    return bottlenecks;
  }

  Child<L::Convolution2D> conv1;
  Child<L::BatchNormalization> bn1;
  Child<Sequential> res2, res3, res4, res5;
  Child<L::Linear> fc;
};

// He, Zhang, Ren and Sun: Deep Residual Learning for Image Recognition, 2015.
class ResNet50 : public ResNet {
 public:
  explicit ResNet50(int64_t classes) : ResNet(classes, 64, 1) {}
};

// ResNet50 with bottlenecks twice as wide, whose convolutions have 32 groups
// and therefore as many parameters (Xie, Girshick, Dollar, Tu and He:
// Aggregated Residual Transformations for Deep Neural Networks, 2017).
class ResNeXt50 : public ResNet {
 public:
  explicit ResNeXt50(int64_t classes) : ResNet(classes, 128, 32) {}
};

}  // namespace catena::examples
