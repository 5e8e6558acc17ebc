#pragma once

#include "catena/caffe/layer.h"

namespace catena::caffe {

// MAX and AVE Pooling over the two spatial axes of (N, C, h, w), and LRN across
// and within channels.
Layer build_pooling(const LayerDefinition& definition,
                    const BuildOptions& options);
Layer build_lrn(const LayerDefinition& definition, const BuildOptions& options);

}  // namespace catena::caffe
