#pragma once

#include <memory>
#include <vector>

#include "catena/caffe/net_messages.h"

namespace catena::caffe {

// The layers of a net as the newest generation has them, types and blobs
// included, which are taken out of the messages; `generation` becomes 0, 1 or
// 2. In the oldest, padding layers become the pad of the layers that read them.
// A layer of the second generation without a known type has none. ValueError
// when the net mixes generations, or a padding layer is read by what cannot
// pad.
std::vector<std::shared_ptr<LayerParameter>> upgraded_layers(
    NetMessages& messages, int& generation);

}  // namespace catena::caffe
