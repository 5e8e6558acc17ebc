#pragma once

#include "catena/links/model/image_model.h"

namespace catena::links {

// VGG networks of 3x3 convolutions (Simonyan, Zisserman: Very Deep
// Convolutional Networks for Large-Scale Image Recognition, 2014): conv1_1 to
// conv5_3 or conv5_4, with pool1 to pool5 between them, fc6, fc7, fc8 and prob.
// fc7 is the default feature. Images have to be 224 x 224 for fc6 and later
// layers.
class VGGLayers : public ImageModel {
 public:
  // n_layers is 16 or 19, else ValueError. "auto" loads
  // VGG_ILSVRC_16_layers.npz or VGG_ILSVRC_19_layers.npz, or converts the
  // .caffemodel of that name. Throws IoError when the file is missing or does
  // not match.
  VGGLayers(const PretrainedModel& pretrained_model, int n_layers);

  Array prepare(const Array& image,
                const std::optional<ImageSize>& size) const override;

 protected:
  std::vector<Layer> layers() override;
  std::string_view feature_layer() const override { return "fc7"; }

 private:
  std::vector<int> blocks_;  // convolutions per block
};

// The network of 16 layers; images are (N, 3, 224, 224).
class VGG16Layers : public VGGLayers {
 public:
  explicit VGG16Layers(const PretrainedModel& pretrained_model = "auto")
      : VGGLayers(pretrained_model, 16) {}
};

// The network of 19 layers.
class VGG19Layers : public VGGLayers {
 public:
  explicit VGG19Layers(const PretrainedModel& pretrained_model = "auto")
      : VGGLayers(pretrained_model, 19) {}
};

// Prepares an image for VGGLayers: prepare_image with their mean.
Array vgg_prepare(const Array& image,
                  const std::optional<ImageSize>& size = ImageSize{224, 224});

}  // namespace catena::links
