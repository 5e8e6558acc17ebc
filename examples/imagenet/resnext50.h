#pragma once

#include <cstdint>

#include "catena/examples/imagenet/resnet50.h"

namespace catena::examples {

// ResNet50 with bottlenecks twice as wide, whose convolutions have 32 groups
// and therefore as many parameters (Xie, Girshick, Dollar, Tu and He:
// Aggregated Residual Transformations for Deep Neural Networks, 2017).
class ResNeXt50 : public ResNet {
 public:
  explicit ResNeXt50(int64_t classes) : ResNet(classes, 128, 32) {}
};

}  // namespace catena::examples
