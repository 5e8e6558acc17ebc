#pragma once

#include <string>
#include <string_view>

namespace catena::links {

// The files with a model's weights, which are looked for below
// pfnet/chainer/models in the data set folders (dataset/dataset_root.h).
struct PublishedWeights {
  // "ResNet-50-model", for the files .npz and .caffemodel.
  std::string name;
  // Where the .caffemodel can be downloaded.
  std::string_view source = {};
};

// The path of the .npz. If there is none, it is converted from the .caffemodel,
// beside which it is written atomically, so that processes may do this at once.
// Throws IoError when neither exists, when the .caffemodel does not match or is
// damaged, when the .npz cannot be written, and when //caffe:convert_on_load
// is not linked.
std::string published_weights_file(const PublishedWeights& weights);

// Converts the .caffemodel of the weights with this name.
using CaffemodelConverter = void (*)(std::string_view name,
                                     const std::string& path_caffemodel,
                                     const std::string& path_npz);
// For //caffe:convert_on_load, which models must not depend on.
void set_caffemodel_converter(CaffemodelConverter converter);

}  // namespace catena::links
