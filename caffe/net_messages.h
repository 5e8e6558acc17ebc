#pragma once

#include <memory>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/load_limits.h"
#include "catena/caffe/net.pb.h"

// The messages of net.proto as files have them, in their binary form.
namespace catena::caffe {

// A net whose layers are messages of their own: the memory of a layer,
// with the values of its blobs, is free as soon as nobody has a pointer into
// it.
struct NetMessages {
  std::shared_ptr<NetParameter> net;  // but for its layers
  std::vector<std::shared_ptr<LayerParameter>> layers;
  std::vector<std::shared_ptr<V1LayerParameter>> layers_of_v1;
};

// Reads all of the source, without the fields that net.proto does not name.
// IoError when it is no such message, with the place in the file, and how far
// the layer there could be read; for more than limits.members layers, and more
// than 2 GiB, which the format does not allow. Its messages take at most 8
// times the memory of the source's bytes, and 64 MiB: more of them is an
// IoError, too.
NetMessages read_net(const array::ByteSource& source, const LoadLimits& limits);

// The same for a message that is no net.
std::shared_ptr<BlobProto> read_blob(const array::ByteSource& source);

// Adds a parameter to a layer, as float32. ValueError when it has more values
// than the format allows.
void add_blob(LayerParameter& layer, const Array& values);

// ValueError when the message would have more than 2 GiB. IoError.
void write_net(const NetParameter& net, array::ByteSink& sink);

}  // namespace catena::caffe
