#pragma once

#include "catena/caffe/layer.h"

namespace catena::caffe {

// Normalization and scaling along axes: BatchNorm, Scale, Bias, MVN.
Layer build_batch_norm(const LayerDefinition& definition, const BuildOptions&);
Layer build_scale(const LayerDefinition& definition, const BuildOptions&);
Layer build_bias(const LayerDefinition& definition, const BuildOptions&);
Layer build_mvn(const LayerDefinition& definition, const BuildOptions&);

}  // namespace catena::caffe
