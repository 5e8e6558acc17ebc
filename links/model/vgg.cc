#include "catena/links/model/vgg.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"

namespace catena::links {
namespace {

namespace F = functions;

std::string convolution_name(size_t block, int convolution) {
  return str("conv", block + 1, "_", convolution + 1);
}

std::vector<int> blocks_of(int n_layers) {
  switch (n_layers) {
    case 16:
      return {2, 2, 3, 3, 3};
    case 19:
      return {2, 2, 4, 4, 4};
  }
  raise<ValueError>("VGGLayers: expected n_layers 16 or 19, got ", n_layers);
}

}  // namespace

VGGLayers::VGGLayers(const PretrainedModel& pretrained_model, int n_layers)
    : blocks_(blocks_of(n_layers)) {
  const Initializer initialW =
      initializer_unless(pretrained_model, initializers::Normal(0.01));
  constexpr int64_t kChannels[] = {64, 128, 256, 512, 512};
  int64_t in = 3;
  for (size_t block = 0; block < blocks_.size(); ++block) {
    for (int i = 0; i < blocks_[block]; ++i) {
      const int64_t out = kChannels[block];
      add_link(convolution_name(block, i),
               Convolution2D(in, out, 3, {.pad = 1, .initialW = initialW}));
      in = out;
    }
  }
  add_link("fc6", Linear(512 * 7 * 7, 4096, {.initialW = initialW}));
  add_link("fc7", Linear(4096, 4096, {.initialW = initialW}));
  add_link("fc8", Linear(4096, 1000, {.initialW = initialW}));
  load(pretrained_model,
       {str("VGG_ILSVRC_", n_layers, "_layers"),
        "https://www.robots.ox.ac.uk/~vgg/research/very_deep"});
}

Array VGGLayers::prepare(const Array& image,
                         const std::optional<ImageSize>& size) const {
  return vgg_prepare(image, size);
}

std::vector<ImageModel::Layer> VGGLayers::layers() {
  std::vector<Layer> result;
  for (size_t block = 0; block < blocks_.size(); ++block) {
    for (int i = 0; i < blocks_[block]; ++i) {
      const std::string name = convolution_name(block, i);
      auto& convolution = static_cast<Convolution2D&>((*this)[name]);
      result.push_back({name, [&convolution](const Variable& x) {
                          return F::relu(convolution(x));
                        }});
    }
    result.push_back({str("pool", block + 1), [](const Variable& x) {
                        return F::max_pooling_2d(x, 2);
                      }});
  }
  for (const char* name : {"fc6", "fc7"}) {
    auto& linear = static_cast<Linear&>((*this)[name]);
    result.push_back({name, [&linear](const Variable& x) {
                        return F::dropout(F::relu(linear(x)));
                      }});
  }
  auto& fc8 = static_cast<Linear&>((*this)["fc8"]);
  result.push_back({"fc8", [&fc8](const Variable& x) { return fc8(x); }});
  result.push_back({"prob", [](const Variable& x) { return F::softmax(x); }});
  return result;
}

Array vgg_prepare(const Array& image, const std::optional<ImageSize>& size) {
  return prepare_image(image, size, {103.939f, 116.779f, 123.68f});
}

}  // namespace catena::links
