#pragma once

#include "catena/caffe/layer.h"

namespace catena::caffe {

// Convolution, Deconvolution, InnerProduct, Embed: layers that become links.
Layer build_convolution(const LayerDefinition& definition,
                        const BuildOptions& options);
Layer build_deconvolution(const LayerDefinition& definition,
                          const BuildOptions& options);
Layer build_inner_product(const LayerDefinition& definition,
                          const BuildOptions& options);
Layer build_embed(const LayerDefinition& definition,
                  const BuildOptions& options);

}  // namespace catena::caffe
