#include "catena/caffe/testing/net_builder.h"

#include <cmath>

#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/caffe/net_messages.h"

namespace catena::testing {

NetBuilder::NetBuilder(const std::string& input, const Shape& shape) {
  net_.set_name("made up");
  net_.add_input(input);
  caffe::BlobShape& dims = *net_.add_input_shape();
  for (const int64_t extent : shape) dims.add_dim(extent);
}

caffe::LayerParameter& NetBuilder::layer(
    const std::string& name, const std::string& type,
    const std::vector<std::string>& bottoms,
    const std::vector<std::string>& tops) {
  caffe::LayerParameter& layer = *net_.add_layer();
  layer.set_name(name);
  layer.set_type(type);
  for (const std::string& bottom : bottoms) layer.add_bottom(bottom);
  for (const std::string& top : tops) layer.add_top(top);
  return layer;
}

caffe::LayerParameter& NetBuilder::layer(
    const std::string& name, const std::string& type,
    const std::vector<std::string>& bottoms,
    const std::vector<std::string>& tops, const std::vector<Array>& blobs) {
  caffe::LayerParameter& result = layer(name, type, bottoms, tops);
  for (const Array& blob : blobs) caffe::add_blob(result, blob);
  return result;
}

std::string NetBuilder::bytes() const {
  std::string result;
  array::StringSink sink(&result);
  caffe::write_net(net_, sink);
  return result;
}

void NetBuilder::save(const std::string& path) const {
  array::AtomicFile file(path, "NetBuilder");
  caffe::write_net(net_, file);
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
