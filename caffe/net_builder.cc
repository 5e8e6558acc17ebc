#include "catena/caffe/net_builder.h"

#include <cmath>

#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/ufunc.h"
#include "catena/caffe/encode.h"

namespace catena::testing {
namespace {

void add_shape(caffe::Message& message, const Shape& shape) {
  for (const int64_t extent : shape) message.add("dim", extent);
}

}  // namespace

NetBuilder::NetBuilder(const std::string& input, const Shape& shape)
    : net_("NetParameter") {
  net_.add("name", "made up");
  net_.add("input", input);
  add_shape(net_.add_message("input_shape"), shape);
}

caffe::Message& NetBuilder::layer(const std::string& name,
                                  const std::string& type,
                                  const std::vector<std::string>& bottoms,
                                  const std::vector<std::string>& tops) {
  caffe::Message& layer = net_.add_message("layer");
  layer.add("name", name);
  layer.add("type", type);
  for (const std::string& bottom : bottoms) layer.add("bottom", bottom);
  for (const std::string& top : tops) layer.add("top", top);
  return layer;
}

caffe::Message& NetBuilder::layer(const std::string& name,
                                  const std::string& type,
                                  const std::vector<std::string>& bottoms,
                                  const std::vector<std::string>& tops,
                                  const std::vector<Array>& blobs) {
  caffe::Message& result = layer(name, type, bottoms, tops);
  for (const Array& blob : blobs) {
    caffe::Message& message = result.add_message("blobs");
    add_shape(message.add_message("shape"), blob.shape());
    message.add_values("data", blob);
  }
  return result;
}

std::string NetBuilder::bytes() const {
  std::string result;
  array::StringSink sink(&result);
  caffe::encode(net_, sink);
  return result;
}

void NetBuilder::save(const std::string& path) const {
  array::AtomicFile file(path, "NetBuilder");
  caffe::encode(net_, file);
  file.commit();
}

Array made_up(const Shape& shape, int seed) {
  const int64_t size = checked_size(shape, 4, "made_up");
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    values.push_back(
        static_cast<float>(std::sin(1.7 * static_cast<double>(i) + seed)));
  }
  return array::array(values, shape, native_device());
}

}  // namespace catena::testing
