#pragma once

#include "catena/array/io/byte_source.h"
#include "catena/caffe/message.h"

namespace catena::caffe {

// Reads a message in the binary wire format of Protocol Buffers from all of the
// source, as their own readers do: unknown fields, and values of enums without
// a name, are passed over; of a field given twice the last value counts, and
// messages given twice are merged; repeated numbers may be packed or not.
// PackedNumbers stay in the source.
//
// IoError, with the place in the message and in the file, when the bytes are no
// such message; also for more than 100 messages within each other. Memory is in
// proportion to the bytes that are read.
Message decode(const array::ByteSource& source, const MessageType& type);

}  // namespace catena::caffe
