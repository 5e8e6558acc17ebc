#pragma once

#include "catena/links/model/image_model.h"

namespace catena::links {

struct ResNetLayersOptions {
  NamedFieldsOnly keywords = {};
  // Whether a block downsamples in its first 1x1 convolution, as in the paper,
  // or in its 3x3 convolution.
  bool downsample_1x1 = true;
};

// Residual networks (He, Zhang, Ren, Sun: Deep Residual Learning for Image
// Recognition, 2015): conv1, pool1, res2 to res5, pool5, fc6 and prob. pool5,
// the global average, is the default feature.
class ResNetLayers : public ImageModel {
 public:
  using Options = ResNetLayersOptions;

  // n_layers is 50, 101 or 152, else ValueError. "auto" loads
  // ResNet-50-model.npz etc., or converts the .caffemodel of that name. Throws
  // IoError when the file is missing or does not match.
  ResNetLayers(const PretrainedModel& pretrained_model, int n_layers,
               const ResNetLayersOptions& options = {});

  Array prepare(const Array& image,
                const std::optional<ImageSize>& size) const override;

 protected:
  std::vector<Layer> layers() override;
  std::string_view feature_layer() const override { return "pool5"; }
};

// The network of 50 layers; images are (N, 3, 224, 224).
class ResNet50Layers : public ResNetLayers {
 public:
  explicit ResNet50Layers(const PretrainedModel& pretrained_model = "auto",
                          const ResNetLayersOptions& options = {})
      : ResNetLayers(pretrained_model, 50, options) {}
};

// The network of 101 layers.
class ResNet101Layers : public ResNetLayers {
 public:
  explicit ResNet101Layers(const PretrainedModel& pretrained_model = "auto",
                           const ResNetLayersOptions& options = {})
      : ResNetLayers(pretrained_model, 101, options) {}
};

// The network of 152 layers.
class ResNet152Layers : public ResNetLayers {
 public:
  explicit ResNet152Layers(const PretrainedModel& pretrained_model = "auto",
                           const ResNetLayersOptions& options = {})
      : ResNetLayers(pretrained_model, 152, options) {}
};

// Prepares an image for ResNetLayers: prepare_image with their mean.
Array resnet_prepare(const Array& image,
                     const std::optional<ImageSize>& size = ImageSize{224,
                                                                      224});

}  // namespace catena::links
