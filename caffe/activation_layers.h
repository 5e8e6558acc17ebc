#pragma once

#include "catena/caffe/layer.h"

namespace catena::caffe {

// Elementwise layers.
Layer build_relu(const LayerDefinition& definition, const BuildOptions&);
Layer build_prelu(const LayerDefinition& definition, const BuildOptions&);
Layer build_elu(const LayerDefinition& definition, const BuildOptions&);
Layer build_sigmoid(const LayerDefinition& definition, const BuildOptions&);
Layer build_tanh(const LayerDefinition& definition, const BuildOptions&);
Layer build_abs_val(const LayerDefinition& definition, const BuildOptions&);
Layer build_bnll(const LayerDefinition& definition, const BuildOptions&);
Layer build_power(const LayerDefinition& definition, const BuildOptions&);
Layer build_exp(const LayerDefinition& definition, const BuildOptions&);
Layer build_log(const LayerDefinition& definition, const BuildOptions&);
Layer build_swish(const LayerDefinition& definition, const BuildOptions&);
Layer build_clip(const LayerDefinition& definition, const BuildOptions&);
Layer build_threshold(const LayerDefinition& definition, const BuildOptions&);
Layer build_dropout(const LayerDefinition& definition, const BuildOptions&);
// Has several bottoms.
Layer build_eltwise(const LayerDefinition& definition, const BuildOptions&);

}  // namespace catena::caffe
