#pragma once

#include "catena/links/model/image_model.h"

namespace catena::links {

// GoogLeNet (Szegedy et al.: Going Deeper with Convolutions, 2014): conv1,
// pool1, conv2_reduce, conv2, pool2, inception_3a and _3b, pool3, inception_4a
// to _4e, pool4, inception_5a and _5b, pool5, loss3_fc and prob, and the
// auxiliary classifiers loss1_fc2 and loss2_fc2. pool5 is the default feature.
class GoogLeNet : public ImageModel {
 public:
  // "auto" loads bvlc_googlenet.npz, or converts bvlc_googlenet.caffemodel.
  // Throws IoError when the file is missing or does not match.
  explicit GoogLeNet(const PretrainedModel& pretrained_model = "auto");

  Array prepare(const Array& image,
                const std::optional<ImageSize>& size) const override;

 protected:
  std::vector<Layer> layers() override;
  std::string_view feature_layer() const override { return "pool5"; }
};

// Prepares an image for GoogLeNet: prepare_image with its mean.
Array googlenet_prepare(const Array& image,
                        const std::optional<ImageSize>& size = ImageSize{224,
                                                                         224});

}  // namespace catena::links
