#pragma once

#include <memory>
#include <vector>

#include "catena/caffe/net_messages.h"

namespace catena::caffe {

// The layers of a net, converted to the newest version of the format and moved
// out of the messages, including types and blobs; `generation` becomes 0, 1 or
// 2. In version 0, padding layers become the pad of the layers that read them.
// A version 1 layer of unknown type has an empty type. Throws ValueError when
// the net mixes versions, or a padding layer is read by a layer that cannot
// pad.
std::vector<std::shared_ptr<LayerParameter>> upgraded_layers(
    NetMessages& messages, int& generation);

}  // namespace catena::caffe
