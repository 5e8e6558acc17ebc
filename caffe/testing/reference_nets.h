#pragma once

#include "catena/caffe/testing/net_builder.h"
#include "catena/links/link.h"
#include "catena/links/model/googlenet.h"
#include "catena/links/model/resnet.h"

// Published nets with the weights of links, which must compute the same
// results.
namespace catena::testing {

// "data" to "prob", with the names of bvlc_googlenet.caffemodel.
NetBuilder googlenet_of(const links::GoogLeNet& model);

// "data" to "prob", with the names of ResNet-50-model.caffemodel and its deeper
// variants. Pooling is as in Caffe.
NetBuilder resnet50_of(const links::ResNet50Layers& model);
NetBuilder resnet101_of(const links::ResNet101Layers& model);
NetBuilder resnet152_of(const links::ResNet152Layers& model);

// Tiny layers with the names of VGG_ILSVRC_16_layers.caffemodel or, if it is
// deep, VGG_ILSVRC_19_layers.caffemodel: "data" (1, 1, 2, 2) to "fc8".
// conv<b>_<i>/W is made_up({1, 1, 1, 1}, i).
NetBuilder tiny_vgg(bool deep);

// AlexNet with 61 million synthetic weights: "data" (1, 3, 227, 227) to "prob".
NetBuilder alexnet();

// Expects the same parameters, by path, with the same values.
void expect_same_params(const Link& actual, const Link& expected);

}  // namespace catena::testing
