#pragma once

#include <memory>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/load_limits.h"
#include "catena/caffe/net.pb.h"

// Reading and writing of net.proto messages in binary form.
namespace catena::caffe {

// A net whose layers are separate messages: the memory of a layer, including
// the values of its blobs, is freed when the last pointer into it is destroyed.
struct NetMessages {
  std::shared_ptr<NetParameter> net;  // without its layers
  std::vector<std::shared_ptr<LayerParameter>> layers;
  std::vector<std::shared_ptr<V1LayerParameter>> layers_of_v1;
};

// Reads the whole source, skipping fields that net.proto does not define.
// Throws IoError when it is not a valid net, with the position in the file and
// the last field read; for more than limits.members layers; above 2 GiB, the
// format's limit; and when the messages would need more memory than 8 times the
// source's size plus 64 MiB.
NetMessages read_net(const array::ByteSource& source, const LoadLimits& limits);

// The same for a blob.
std::shared_ptr<BlobProto> read_blob(const array::ByteSource& source);

// Adds a parameter to a layer, as float32. Throws ValueError when it exceeds
// the format's size limit.
void add_blob(LayerParameter& layer, const Array& values);

// Throws ValueError when the message would exceed 2 GiB; IoError when writing
// fails.
void write_net(const NetParameter& net, array::ByteSink& sink);

}  // namespace catena::caffe
