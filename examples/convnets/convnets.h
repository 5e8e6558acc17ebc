#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/normalization/batch_normalization.h"

// The networks that docs/guide/cnn_models.md writes step by step. Each takes
// images (N, C, h, w) with any number of channels and returns the scores of the
// classes, (N, n_classes), without a softmax.
namespace catena::examples::convnets {

namespace F = functions;
namespace L = links;

// LeNet-5 (LeCun et al., 1998) with sigmoids. Images are at least 28 x 28.
class LeNet5 : public Chain<LeNet5> {
 public:
  explicit LeNet5(int64_t n_classes = 10)
      : conv1(this, "conv1", 6, 5),
        conv2(this, "conv2", 16, 5),
        conv3(this, "conv3", 120, 4),
        fc4(this, "fc4", 84),
        fc5(this, "fc5", n_classes) {}

  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::sigmoid(conv1(x)), 2);
    h = F::max_pooling_2d(F::sigmoid(conv2(h)), 2);
    h = F::sigmoid(conv3(h));
    return fc5(F::sigmoid(fc4(h)));
  }

 private:
  Child<L::Convolution2D> conv1, conv2, conv3;
  Child<L::Linear> fc4, fc5;
};

// Two or three convolutions, and a pooling that halves the image.
class VGGBlock : public Chain<VGGBlock> {
 public:
  explicit VGGBlock(int64_t n_channels, int n_convs = 2)
      : conv1(this, "conv1", n_channels, 3, options()),
        conv2(this, "conv2", n_channels, 3, options()) {
    if (n_convs == 3) conv3.emplace(this, "conv3", n_channels, 3, options());
  }

  Variable forward(const Variable& x) {
    Variable h = F::relu(conv2(F::relu(conv1(x))));
    if (conv3) h = F::relu((*conv3)(h));
    return F::max_pooling_2d(h, 2);
  }

 private:
  static L::ConvolutionOptions options() {
    return {.pad = 1, .initialW = initializers::HeNormal()};
  }

  Child<L::Convolution2D> conv1, conv2;
  std::optional<Child<L::Convolution2D>> conv3;
};

// The fully connected layers at the end.
class VGGHead : public Chain<VGGHead> {
 public:
  VGGHead(int64_t n_units, int64_t n_classes)
      : fc6(this, "fc6", n_units),
        fc7(this, "fc7", n_units),
        fc8(this, "fc8", n_classes) {}

  Variable forward(const Variable& x) {
    Variable h = F::dropout(F::relu(fc6(x)));
    h = F::dropout(F::relu(fc7(h)));
    return fc8(h);
  }

 private:
  Child<L::Linear> fc6, fc7, fc8;
};

struct VGG16Options {
  int64_t width = 64;  // channels of the first block
  int64_t n_units = 4096;
};

// VGG16 (Simonyan and Zisserman, 2014). Each block halves the image, down to
// 1 x 1 at least.
class VGG16 : public Callable<VGG16, ChainList> {
 public:
  explicit VGG16(int64_t n_classes = 1000, const VGG16Options& options = {}) {
    append(VGGBlock(options.width));
    append(VGGBlock(2 * options.width));
    append(VGGBlock(4 * options.width, 3));
    append(VGGBlock(8 * options.width, 3));
    append(VGGBlock(8 * options.width, 3));
    append(VGGHead(options.n_units, n_classes));
  }

  Variable forward(Variable x) {
    for (int64_t i = 0; i < 5; ++i) x = at<VGGBlock>(i)(x);
    return at<VGGHead>(5)(x);
  }
};

struct BottleNeckOptions {
  int64_t stride = 1;
  // Whether a convolution gives the input the shape of the output.
  bool proj = false;
};

// Three convolutions, the middle one with fewer channels, plus the input.
class BottleNeck : public Chain<BottleNeck> {
 public:
  BottleNeck(int64_t n_mid, int64_t n_out,
             const BottleNeckOptions& options = {})
      : conv1x1a(this, "conv1x1a", n_mid, 1, convolution(options.stride, 0)),
        conv3x3b(this, "conv3x3b", n_mid, 3, convolution(1, 1)),
        conv1x1c(this, "conv1x1c", n_out, 1, convolution(1, 0)),
        bn_a(this, "bn_a", n_mid),
        bn_b(this, "bn_b", n_mid),
        bn_c(this, "bn_c", n_out) {
    if (options.proj) {
      conv1x1r.emplace(this, "conv1x1r", n_out, 1,
                       convolution(options.stride, 0));
      bn_r.emplace(this, "bn_r", n_out);
    }
  }

  Variable forward(const Variable& x) {
    Variable h = F::relu(bn_a(conv1x1a(x)));
    h = F::relu(bn_b(conv3x3b(h)));
    h = bn_c(conv1x1c(h));
    return F::relu(h + (conv1x1r ? (*bn_r)((*conv1x1r)(x)) : x));
  }

 private:
  static L::ConvolutionOptions convolution(int64_t stride, int64_t pad) {
    return {.stride = stride,
            .pad = pad,
            .nobias = true,
            .initialW = initializers::HeNormal()};
  }

  Child<L::Convolution2D> conv1x1a, conv3x3b, conv1x1c;
  Child<L::BatchNormalization> bn_a, bn_b, bn_c;
  std::optional<Child<L::Convolution2D>> conv1x1r;
  std::optional<Child<L::BatchNormalization>> bn_r;
};

// Bottlenecks in a row; the first one changes the shape.
class ResBlock : public Callable<ResBlock, ChainList> {
 public:
  ResBlock(int n_layers, int64_t n_mid, int64_t n_out, int64_t stride = 2) {
    append(BottleNeck(n_mid, n_out, {.stride = stride, .proj = true}));
    for (int i = 1; i < n_layers; ++i) append(BottleNeck(n_mid, n_out));
  }

  Variable forward(Variable x) {
    for (int64_t i = 0; i < size(); ++i) x = at<BottleNeck>(i)(x);
    return x;
  }
};

struct ResNet152Options {
  int64_t width = 64;  // channels of the first convolution
  std::array<int, 4> n_blocks = {3, 8, 36, 3};
};

// ResNet-152 (He et al., 2015): 1 + 3 * (3 + 8 + 36 + 3) + 1 layers. Any image
// will do, for the last pooling takes what is left of it.
class ResNet152 : public Chain<ResNet152> {
 public:
  explicit ResNet152(int64_t n_classes = 1000,
                     const ResNet152Options& options = {})
      : conv1(this, "conv1", options.width, 7,
              {.stride = 2,
               .pad = 3,
               .nobias = true,
               .initialW = initializers::HeNormal()}),
        bn1(this, "bn1", options.width),
        res2(this, "res2", options.n_blocks[0], options.width,
             4 * options.width, 1),
        res3(this, "res3", options.n_blocks[1], 2 * options.width,
             8 * options.width),
        res4(this, "res4", options.n_blocks[2], 4 * options.width,
             16 * options.width),
        res5(this, "res5", options.n_blocks[3], 8 * options.width,
             32 * options.width),
        fc6(this, "fc6", n_classes) {}

  Variable forward(const Variable& x) {
    Variable h = F::relu(bn1(conv1(x)));
    h = F::max_pooling_2d(h, 2);
    h = res5(res4(res3(res2(h))));
    return fc6(F::mean(h, {2, 3}));  // the mean of each channel
  }

 private:
  Child<L::Convolution2D> conv1;
  Child<L::BatchNormalization> bn1;
  Child<ResBlock> res2, res3, res4, res5;
  Child<L::Linear> fc6;
};

}  // namespace catena::examples::convnets
