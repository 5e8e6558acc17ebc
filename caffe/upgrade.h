#pragma once

#include <vector>

#include "catena/caffe/message.h"

namespace catena::caffe {

// The layers of a NetParameter as LayerParameter messages, with their types as
// the newest generation calls them; `generation` becomes 0, 1 or 2. In the
// oldest, padding layers become the pad of the layers that read them. A layer
// of the second generation without a known type has none. ValueError when the
// net mixes generations, or a padding layer is read by what cannot pad.
std::vector<Message> upgraded_layers(Message&& net, int& generation);

}  // namespace catena::caffe
