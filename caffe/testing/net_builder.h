#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/caffe/net.pb.h"

// Nets for tests and benchmarks.
namespace catena::testing {

class NetBuilder {
 public:
  // With one input of that shape.
  explicit NetBuilder(const std::string& input, const Shape& shape);

  // The next layer: layer("r", "ReLU", {"x"}, {"y"}).
  caffe::LayerParameter& layer(const std::string& name, const std::string& type,
                               const std::vector<std::string>& bottoms,
                               const std::vector<std::string>& tops);
  // Layers whose parameters are these arrays.
  caffe::LayerParameter& layer(const std::string& name, const std::string& type,
                               const std::vector<std::string>& bottoms,
                               const std::vector<std::string>& tops,
                               const std::vector<Array>& blobs);

  // As a .caffemodel.
  std::string bytes() const;
  void save(const std::string& path) const;

 private:
  caffe::NetParameter net_;
};

// float32 numbers of small absolute value that differ.
Array made_up(const Shape& shape, int seed = 0);

}  // namespace catena::testing
