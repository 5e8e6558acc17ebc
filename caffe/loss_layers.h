#pragma once

#include "catena/caffe/layer.h"

namespace catena::caffe {

// Softmax, losses and metrics. loss_weight is not applied to a loss.
Layer build_softmax(const LayerDefinition& definition, const BuildOptions&);
Layer build_softmax_with_loss(const LayerDefinition& definition,
                              const BuildOptions&);
Layer build_sigmoid_cross_entropy_loss(const LayerDefinition& definition,
                                       const BuildOptions&);
Layer build_euclidean_loss(const LayerDefinition& definition,
                           const BuildOptions&);
Layer build_hinge_loss(const LayerDefinition& definition, const BuildOptions&);
Layer build_accuracy(const LayerDefinition& definition, const BuildOptions&);
Layer build_arg_max(const LayerDefinition& definition, const BuildOptions&);
Layer build_reduction(const LayerDefinition& definition, const BuildOptions&);

}  // namespace catena::caffe
