#include "catena/links/model/resnet.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/normalization/batch_normalization.h"

namespace catena::links {
namespace {

namespace F = functions;

using CallOptions = BatchNormalizationCallOptions;

// The strides of a bottleneck.
struct Strides {
  int64_t first = 1;  // the first 1x1 convolution's
  int64_t second = 1;
};

Convolution2D convolution(int64_t in, int64_t out, int64_t ksize,
                          int64_t stride, const Initializer& initialW) {
  return Convolution2D(in, out, ksize,
                       {.stride = stride,
                        .pad = ksize / 2,
                        .nobias = true,
                        .initialW = initialW});
}

// Three convolutions with fewer channels in between, plus the input.
class BottleneckB : public Chain<BottleneckB> {
 public:
  BottleneckB(int64_t in, int64_t mid, int64_t out, const Strides& strides,
              const Initializer& initialW)
      : conv1(this, "conv1", convolution(in, mid, 1, strides.first, initialW)),
        bn1(this, "bn1", mid),
        conv2(this, "conv2",
              convolution(mid, mid, 3, strides.second, initialW)),
        bn2(this, "bn2", mid),
        conv3(this, "conv3", convolution(mid, out, 1, 1, initialW)),
        bn3(this, "bn3", out) {}

  Variable forward(const Variable& x) { return with_residual(x, x); }

  Child<Convolution2D> conv1;
  Child<BatchNormalization> bn1;
  Child<Convolution2D> conv2;
  Child<BatchNormalization> bn2;
  Child<Convolution2D> conv3;
  Child<BatchNormalization> bn3;

 protected:
  Variable with_residual(const Variable& x, const Variable& residual) {
    Variable h = bn1(conv1(x), CallOptions{.relu = true});
    h = bn2(conv2(h), CallOptions{.relu = true});
    return bn3(conv3(h), CallOptions{.residual = residual, .relu = true});
  }
};

// A bottleneck that changes the shape, with a projection of the input.
class BottleneckA : public Chain<BottleneckA, BottleneckB> {
 public:
  BottleneckA(int64_t in, int64_t mid, int64_t out, const Strides& strides,
              const Initializer& initialW)
      : Chain(in, mid, out, strides, initialW),
        conv4(
            this, "conv4",
            convolution(in, out, 1, strides.first * strides.second, initialW)),
        bn4(this, "bn4", out) {}

  Variable forward(const Variable& x) {
    return with_residual(x, bn4(conv4(x)));
  }

  Child<Convolution2D> conv4;
  Child<BatchNormalization> bn4;
};

// A sequence of bottlenecks; the first one changes the shape.
class BuildingBlock : public Chain<BuildingBlock> {
 public:
  BuildingBlock(int n_layers, int64_t in, int64_t mid, int64_t out,
                int64_t stride, const ResNetLayersOptions& options,
                const Initializer& initialW)
      : n_layers_(n_layers) {
    const Strides strides =
        options.downsample_1x1 ? Strides{stride, 1} : Strides{1, stride};
    add_link("a", BottleneckA(in, mid, out, strides, initialW));
    for (int i = 1; i < n_layers; ++i) {
      add_link(str("b", i), BottleneckB(out, mid, out, {}, initialW));
    }
  }

  Variable forward(const Variable& x) {
    Variable h = static_cast<BottleneckA&>((*this)["a"])(x);
    for (int i = 1; i < n_layers_; ++i) {
      h = static_cast<BottleneckB&>((*this)[str("b", i)])(h);
    }
    return h;
  }

 private:
  int n_layers_;
};

constexpr std::string_view kBlockNames[] = {"res2", "res3", "res4", "res5"};

std::array<int, 4> blocks_of(int n_layers) {
  switch (n_layers) {
    case 50:
      return {3, 4, 6, 3};
    case 101:
      return {3, 4, 23, 3};
    case 152:
      return {3, 8, 36, 3};
  }
  raise<ValueError>("ResNetLayers: expected n_layers 50, 101 or 152, got ",
                    n_layers);
}

Variable mean_of_positions(const Variable& x) {
  const Shape& shape = x.shape();
  const Variable y =
      F::average_pooling_2d(x, {shape[2], shape[3]}, {.stride = 1});
  return F::reshape(y, {shape[0], shape[1]});
}

}  // namespace

ResNetLayers::ResNetLayers(const PretrainedModel& pretrained_model,
                           int n_layers, const ResNetLayersOptions& options) {
  const std::array<int, 4> blocks = blocks_of(n_layers);
  const Initializer initialW =
      initializer_unless(pretrained_model, initializers::HeNormal());
  add_link(
      "conv1",
      Convolution2D(3, 64, 7, {.stride = 2, .pad = 3, .initialW = initialW}));
  add_link("bn1", BatchNormalization(64));
  int64_t in = 64;
  int64_t mid = 64;
  for (int i = 0; i < 4; ++i) {
    add_link(std::string(kBlockNames[i]),
             BuildingBlock(blocks[i], in, mid, 4 * mid, i == 0 ? 1 : 2, options,
                           initialW));
    in = 4 * mid;
    mid *= 2;
  }
  add_link("fc6", Linear(2048, 1000));
  load(pretrained_model,
       {str("ResNet-", n_layers, "-model"),
        "https://github.com/KaimingHe/deep-residual-networks"});
}

Array ResNetLayers::prepare(const Array& image,
                            const std::optional<ImageSize>& size) const {
  return resnet_prepare(image, size);
}

std::vector<ImageModel::Layer> ResNetLayers::layers() {
  auto& conv1 = static_cast<Convolution2D&>((*this)["conv1"]);
  auto& bn1 = static_cast<BatchNormalization&>((*this)["bn1"]);
  auto& fc6 = static_cast<Linear&>((*this)["fc6"]);
  std::vector<Layer> result = {{"conv1",
                                [&conv1, &bn1](const Variable& x) {
                                  return bn1(conv1(x),
                                             CallOptions{.relu = true});
                                }},
                               {"pool1", [](const Variable& x) {
                                  return F::max_pooling_2d(x, 3, {.stride = 2});
                                }}};
  for (const std::string_view name : kBlockNames) {
    auto& block = static_cast<BuildingBlock&>((*this)[name]);
    result.push_back(
        {std::string(name), [&block](const Variable& x) { return block(x); }});
  }
  result.push_back({"pool5", mean_of_positions});
  result.push_back({"fc6", [&fc6](const Variable& x) { return fc6(x); }});
  result.push_back({"prob", [](const Variable& x) { return F::softmax(x); }});
  return result;
}

Array resnet_prepare(const Array& image, const std::optional<ImageSize>& size) {
  return prepare_image(image, size, {103.063f, 115.903f, 123.152f});
}

}  // namespace catena::links
