// Lets the models of links/model convert a .caffemodel on their own.

#include <string>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/caffe/convert_caffemodel.h"
#include "catena/links/model/googlenet.h"
#include "catena/links/model/published_weights.h"
#include "catena/links/model/resnet.h"
#include "catena/links/model/vgg.h"

namespace catena::caffe {
namespace {

struct Conversion {
  std::string_view name;
  void (*convert)(const std::string& path_caffemodel,
                  const std::string& path_npz);
};

constexpr Conversion kConversions[] = {
    {"VGG_ILSVRC_16_layers", convert_caffemodel_to_npz<links::VGG16Layers>},
    {"VGG_ILSVRC_19_layers", convert_caffemodel_to_npz<links::VGG19Layers>},
    {"bvlc_googlenet", convert_caffemodel_to_npz<links::GoogLeNet>},
    {"ResNet-50-model", convert_caffemodel_to_npz<links::ResNet50Layers>},
    {"ResNet-101-model", convert_caffemodel_to_npz<links::ResNet101Layers>},
    {"ResNet-152-model", convert_caffemodel_to_npz<links::ResNet152Layers>},
};

void convert(std::string_view name, const std::string& path_caffemodel,
             const std::string& path_npz) {
  for (const Conversion& known : kConversions) {
    if (known.name == name) return known.convert(path_caffemodel, path_npz);
  }
  raise<IoError>("ImageModel: ", array::quote_path(path_caffemodel),
                 ": there is no conversion for this model");
}

// The library is linked whole (alwayslink), so no program lacks this.
[[maybe_unused]] const bool kIsSet = [] {
  links::set_caffemodel_converter(convert);
  return true;
}();

}  // namespace
}  // namespace catena::caffe
