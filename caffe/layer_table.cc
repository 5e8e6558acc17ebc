#include "catena/caffe/layer_table.h"

#include "catena/caffe/layer.h"
#include "catena/caffe/layer_builders.h"

namespace catena::caffe {
namespace {

constexpr int kMany = INT32_MAX;

// In the order of docs/caffe.md.
constexpr LayerType kLayerTypes[] = {
    {"Convolution", 1, kMany, 1, kMany, build_convolution},
    {"Deconvolution", 1, kMany, 1, kMany, build_deconvolution},
    {"InnerProduct", 1, 1, 1, 1, build_inner_product},
    {"Embed", 1, 1, 1, 1, build_embed},
    {"Pooling", 1, 1, 1, 2, build_pooling},
    {"LRN", 1, 1, 1, 1, build_lrn},
    {"BatchNorm", 1, 1, 1, 1, build_batch_norm},
    {"Scale", 1, 2, 1, 1, build_scale},
    {"Bias", 1, 2, 1, 1, build_bias},
    {"MVN", 1, 1, 1, 1, build_mvn},
    {"ReLU", 1, 1, 1, 1, build_relu},
    {"PReLU", 1, 1, 1, 1, build_prelu},
    {"ELU", 1, 1, 1, 1, build_elu},
    {"Sigmoid", 1, 1, 1, 1, build_sigmoid},
    {"TanH", 1, 1, 1, 1, build_tanh},
    {"AbsVal", 1, 1, 1, 1, build_abs_val},
    {"BNLL", 1, 1, 1, 1, build_bnll},
    {"Power", 1, 1, 1, 1, build_power},
    {"Exp", 1, 1, 1, 1, build_exp},
    {"Log", 1, 1, 1, 1, build_log},
    {"Swish", 1, 1, 1, 1, build_swish},
    {"Clip", 1, 1, 1, 1, build_clip},
    {"Threshold", 1, 1, 1, 1, build_threshold},
    {"Dropout", 1, 1, 1, 1, build_dropout},
    {"Eltwise", 2, kMany, 1, 1, build_eltwise},
    {"Concat", 1, kMany, 1, 1, build_concat},
    {"Slice", 1, 1, 1, kMany, build_slice},
    {"Split", 1, 1, 1, kMany, build_split},
    {"Flatten", 1, 1, 1, 1, build_flatten},
    {"Reshape", 1, 1, 1, 1, build_reshape},
    {"Crop", 2, 2, 1, 1, build_crop},
    {"Permute", 1, 1, 1, 1, build_permute},
    {"Tile", 1, 1, 1, 1, build_tile},
    {"Softmax", 1, 1, 1, 1, build_softmax},
    {"SoftmaxWithLoss", 2, 2, 1, 2, build_softmax_with_loss},
    {"SigmoidCrossEntropyLoss", 2, 2, 1, 1, build_sigmoid_cross_entropy_loss},
    {"EuclideanLoss", 2, 2, 1, 1, build_euclidean_loss},
    {"HingeLoss", 2, 2, 1, 1, build_hinge_loss},
    {"Accuracy", 2, 2, 1, 1, build_accuracy},
    {"ArgMax", 1, 1, 1, 1, build_arg_max},
    {"Reduction", 1, 1, 1, 1, build_reduction},
};

}  // namespace

const LayerType* find_layer_type(std::string_view name) {
  for (const LayerType& type : kLayerTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace catena::caffe
