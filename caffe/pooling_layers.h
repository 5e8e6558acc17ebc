#pragma once

#include "catena/caffe/layer.h"

namespace catena::caffe {

// Windows over the two spatial axes of (N, C, h, w): Pooling by MAX and AVE,
// and LRN across and within channels.
Layer build_pooling(const LayerDefinition& definition,
                    const BuildOptions& options);
Layer build_lrn(const LayerDefinition& definition, const BuildOptions& options);

}  // namespace catena::caffe
