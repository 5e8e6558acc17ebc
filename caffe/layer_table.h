#pragma once

#include <string_view>

#include "catena/caffe/layer.h"

namespace catena::caffe {

// How the type of layer is built; null for an unknown one.
const LayerType* find_layer_type(std::string_view name);

}  // namespace catena::caffe
