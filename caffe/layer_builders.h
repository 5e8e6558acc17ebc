#pragma once

#include "catena/caffe/layer.h"

// The layers of each type, by their definitions.
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

// Convolution, Deconvolution, InnerProduct, Embed: layers that become links.
Layer build_convolution(const LayerDefinition& definition,
                        const BuildOptions& options);
Layer build_deconvolution(const LayerDefinition& definition,
                          const BuildOptions& options);
Layer build_inner_product(const LayerDefinition& definition,
                          const BuildOptions& options);
Layer build_embed(const LayerDefinition& definition,
                  const BuildOptions& options);

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

// Normalization and scaling along axes: BatchNorm, Scale, Bias, MVN.
Layer build_batch_norm(const LayerDefinition& definition, const BuildOptions&);
Layer build_scale(const LayerDefinition& definition, const BuildOptions&);
Layer build_bias(const LayerDefinition& definition, const BuildOptions&);
Layer build_mvn(const LayerDefinition& definition, const BuildOptions&);

// MAX and AVE Pooling over the two spatial axes of (N, C, h, w), and LRN across
// and within channels.
Layer build_pooling(const LayerDefinition& definition,
                    const BuildOptions& options);
Layer build_lrn(const LayerDefinition& definition, const BuildOptions& options);

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
