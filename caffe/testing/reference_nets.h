#pragma once

#include "catena/caffe/testing/net_builder.h"
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

// AlexNet with 61 million synthetic weights: "data" (1, 3, 227, 227) to "prob".
NetBuilder alexnet();

}  // namespace catena::testing
