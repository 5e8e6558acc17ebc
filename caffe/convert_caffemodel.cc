#include "catena/caffe/convert_caffemodel.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/caffe/caffe_function.h"

namespace catena::caffe {
namespace {

// Writes the parameters of layers under a model's names.
class Converter {
 public:
  Converter(const std::string& path_caffemodel, const std::string& path_npz)
      : path_(path_caffemodel),
        net_(path_caffemodel, {.strict = false}),
        npz_(path_npz, array::NpzCompression::kStored) {
    for (const auto& [path, param] : net_.namedparams()) {
      params_.emplace(path.substr(1), param);
    }
  }

  void commit() { npz_.commit(); }

  void copy(const std::string& from, const std::string& to) {
    const auto found = params_.find(from);
    if (found == params_.end()) fail(from);
    npz_.write(to, found->second.data());
  }
  // Zeros if the layer has no bias, such as conv1 of the deeper ResNets.
  void copy_layer(const std::string& layer, const std::string& to) {
    copy(layer + "/W", to + "/W");
    if (params_.contains(layer + "/b")) return copy(layer + "/b", to + "/b");
    npz_.write(to + "/b", array::zeros({params_.at(layer + "/W").shape()[0]},
                                       Dtype::kFloat32));
  }
  // BatchNorm and Scale become one BatchNormalization.
  void copy_batch_norm(const std::string& suffix, const std::string& to) {
    const std::string scale = "scale" + suffix;
    copy(scale + "/W", to + "/gamma");
    copy(scale + "/bias/b", to + "/beta");
    Link& bn = child("bn" + suffix);
    npz_.write(to + "/avg_mean", bn.persistent("avg_mean"));
    npz_.write(to + "/avg_var", bn.persistent("avg_var"));
    npz_.write(to + "/N", array::zeros({}, Dtype::kInt64));
  }
  bool has(const std::string& layer) const {
    return params_.contains(layer + "/W");
  }

 private:
  Link& child(const std::string& name) {
    try {
      return net_[name];
    } catch (const ValueError&) {
      fail(name);
    }
  }
  [[noreturn]] void fail(const std::string& name) const {
    raise<IoError>("convert_caffemodel_to_npz: ", array::quote_path(path_),
                   ": there is no ", array::quote(name),
                   "; expected the network that the model is named after");
  }

  std::string path_;
  CaffeFunction net_;
  array::NpzWriter npz_;
  std::map<std::string, Parameter> params_;
};

void convert_vgg(const std::string& path_caffemodel,
                 const std::string& path_npz, std::array<int, 5> blocks) {
  Converter converter(path_caffemodel, path_npz);
  for (size_t block = 0; block < blocks.size(); ++block) {
    for (int i = 1; i <= blocks[block]; ++i) {
      const std::string name = str("conv", block + 1, "_", i);
      converter.copy_layer(name, name);
    }
  }
  for (const char* name : {"fc6", "fc7", "fc8"}) {
    converter.copy_layer(name, name);
  }
  converter.commit();
}

constexpr std::pair<std::string_view, std::string_view> kInceptionParts[] = {
    {"1x1", "conv1"},        {"3x3_reduce", "proj3"}, {"3x3", "conv3"},
    {"5x5_reduce", "proj5"}, {"5x5", "conv5"},        {"pool_proj", "projp"}};

void convert_googlenet(const std::string& path_caffemodel,
                       const std::string& path_npz) {
  Converter converter(path_caffemodel, path_npz);
  converter.copy_layer("conv1/7x7_s2", "conv1");
  converter.copy_layer("conv2/3x3_reduce", "conv2_reduce");
  converter.copy_layer("conv2/3x3", "conv2");
  for (const char* module :
       {"3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"}) {
    for (const auto& [from, to] : kInceptionParts) {
      converter.copy_layer(str("inception_", module, "/", from),
                           str("inc", module, "/", to));
    }
  }
  converter.copy_layer("loss3/classifier", "loss3_fc");
  for (const char* name : {"loss1", "loss2"}) {
    converter.copy_layer(str(name, "/conv"), str(name, "_conv"));
    converter.copy_layer(str(name, "/fc"), str(name, "_fc1"));
    converter.copy_layer(str(name, "/classifier"), str(name, "_fc2"));
  }
  converter.commit();
}

void convert_bottleneck(Converter& converter, const std::string& from,
                        const std::string& to, bool is_projected) {
  constexpr const char* kBranches[] = {"_branch2a", "_branch2b", "_branch2c",
                                       "_branch1"};
  for (int i = 0; i < (is_projected ? 4 : 3); ++i) {
    const std::string name = from + kBranches[i];
    converter.copy("res" + name + "/W", str(to, "/conv", i + 1, "/W"));
    converter.copy_batch_norm(name, str(to, "/bn", i + 1));
  }
}

void convert_resnet(const std::string& path_caffemodel,
                    const std::string& path_npz, std::array<int, 4> blocks) {
  Converter converter(path_caffemodel, path_npz);
  converter.copy_layer("conv1", "conv1");
  converter.copy_batch_norm("_conv1", "bn1");
  for (int stage = 0; stage < 4; ++stage) {
    const std::string to = str("res", stage + 2);
    convert_bottleneck(converter, str(stage + 2, "a"), to + "/a", true);
    for (int i = 1; i < blocks[stage]; ++i) {
      // Blocks are named by letters or, if there are many, "b" and a number.
      std::string from = str(stage + 2, "b", i);
      if (!converter.has("res" + from + "_branch2a")) {
        from = str(stage + 2, std::string(1, static_cast<char>('a' + i)));
      }
      convert_bottleneck(converter, from, str(to, "/b", i), false);
    }
  }
  converter.copy_layer("fc1000", "fc6");
  converter.commit();
}

}  // namespace

template <>
void convert_caffemodel_to_npz<links::VGG16Layers>(
    const std::string& path_caffemodel, const std::string& path_npz) {
  convert_vgg(path_caffemodel, path_npz, {2, 2, 3, 3, 3});
}
template <>
void convert_caffemodel_to_npz<links::VGG19Layers>(
    const std::string& path_caffemodel, const std::string& path_npz) {
  convert_vgg(path_caffemodel, path_npz, {2, 2, 4, 4, 4});
}
template <>
void convert_caffemodel_to_npz<links::GoogLeNet>(
    const std::string& path_caffemodel, const std::string& path_npz) {
  convert_googlenet(path_caffemodel, path_npz);
}
template <>
void convert_caffemodel_to_npz<links::ResNet50Layers>(
    const std::string& path_caffemodel, const std::string& path_npz) {
  convert_resnet(path_caffemodel, path_npz, {3, 4, 6, 3});
}
template <>
void convert_caffemodel_to_npz<links::ResNet101Layers>(
    const std::string& path_caffemodel, const std::string& path_npz) {
  convert_resnet(path_caffemodel, path_npz, {3, 4, 23, 3});
}
template <>
void convert_caffemodel_to_npz<links::ResNet152Layers>(
    const std::string& path_caffemodel, const std::string& path_npz) {
  convert_resnet(path_caffemodel, path_npz, {3, 8, 36, 3});
}

}  // namespace catena::caffe
