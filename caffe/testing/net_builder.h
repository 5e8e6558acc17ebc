#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/caffe/net.pb.h"

// Builds nets for tests and benchmarks.
namespace catena::testing {

class NetBuilder {
 public:
  // A net with one input.
  explicit NetBuilder(const std::string& input, const Shape& shape);

  // Adds a layer: layer("r", "ReLU", {"x"}, {"y"}).
  caffe::LayerParameter& layer(const std::string& name, const std::string& type,
                               const std::vector<std::string>& bottoms,
                               const std::vector<std::string>& tops);
  // Adds a layer with these arrays as parameters.
  caffe::LayerParameter& layer(const std::string& name, const std::string& type,
                               const std::vector<std::string>& bottoms,
                               const std::vector<std::string>& tops,
                               const std::vector<Array>& blobs);

  // The bytes of a .caffemodel.
  std::string bytes() const;
  void save(const std::string& path) const;

 private:
  caffe::NetParameter net_;
};

// Distinct float32 numbers of small absolute value.
Array made_up(const Shape& shape, int seed = 0);

}  // namespace catena::testing
