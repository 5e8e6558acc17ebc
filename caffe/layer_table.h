#pragma once

#include <string_view>

#include "catena/caffe/layer.h"

namespace catena::caffe {

// The entry of a layer type; null for an unknown type.
const LayerType* find_layer_type(std::string_view name);

}  // namespace catena::caffe
