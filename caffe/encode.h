#pragma once

#include "catena/array/io/byte_sink.h"
#include "catena/caffe/message.h"

namespace catena::caffe {

// Writes a message in the wire format that decode reads. PackedNumbers must
// have their values (Message::add_values); they go to the sink from where they
// lie.
void encode(const Message& message, array::ByteSink& sink);

}  // namespace catena::caffe
