#pragma once

#include "catena/caffe/layer.h"

namespace catena::caffe {

// Layers that only move data.
Layer build_concat(const LayerDefinition& definition, const BuildOptions&);
Layer build_slice(const LayerDefinition& definition, const BuildOptions&);
Layer build_split(const LayerDefinition& definition, const BuildOptions&);
Layer build_flatten(const LayerDefinition& definition, const BuildOptions&);
Layer build_reshape(const LayerDefinition& definition, const BuildOptions&);
Layer build_crop(const LayerDefinition& definition, const BuildOptions&);
Layer build_permute(const LayerDefinition& definition, const BuildOptions&);
Layer build_tile(const LayerDefinition& definition, const BuildOptions&);

}  // namespace catena::caffe
