#include "catena/caffe/upgrade.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/error.h"
#include "catena/array/io/quote.h"

namespace catena::caffe {
namespace {

struct TypeName {
  std::string_view old_name;
  std::string_view name;
};

constexpr TypeName kTypesOfV1[] = {
    {"ABSVAL", "AbsVal"},
    {"ACCURACY", "Accuracy"},
    {"ARGMAX", "ArgMax"},
    {"BNLL", "BNLL"},
    {"CONCAT", "Concat"},
    {"CONTRASTIVE_LOSS", "ContrastiveLoss"},
    {"CONVOLUTION", "Convolution"},
    {"DATA", "Data"},
    {"DECONVOLUTION", "Deconvolution"},
    {"DROPOUT", "Dropout"},
    {"DUMMY_DATA", "DummyData"},
    {"ELTWISE", "Eltwise"},
    {"EUCLIDEAN_LOSS", "EuclideanLoss"},
    {"EXP", "Exp"},
    {"FLATTEN", "Flatten"},
    {"HDF5_DATA", "HDF5Data"},
    {"HDF5_OUTPUT", "HDF5Output"},
    {"HINGE_LOSS", "HingeLoss"},
    {"IM2COL", "Im2col"},
    {"IMAGE_DATA", "ImageData"},
    {"INFOGAIN_LOSS", "InfogainLoss"},
    {"INNER_PRODUCT", "InnerProduct"},
    {"LRN", "LRN"},
    {"MEMORY_DATA", "MemoryData"},
    {"MULTINOMIAL_LOGISTIC_LOSS", "MultinomialLogisticLoss"},
    {"MVN", "MVN"},
    {"POOLING", "Pooling"},
    {"POWER", "Power"},
    {"RELU", "ReLU"},
    {"SIGMOID", "Sigmoid"},
    {"SIGMOID_CROSS_ENTROPY_LOSS", "SigmoidCrossEntropyLoss"},
    {"SILENCE", "Silence"},
    {"SLICE", "Slice"},
    {"SOFTMAX", "Softmax"},
    {"SOFTMAX_LOSS", "SoftmaxWithLoss"},
    {"SPLIT", "Split"},
    {"TANH", "TanH"},
    {"THRESHOLD", "Threshold"},
    {"WINDOW_DATA", "WindowData"},
};

constexpr TypeName kTypesOfV0[] = {
    {"accuracy", "Accuracy"},
    {"bnll", "BNLL"},
    {"concat", "Concat"},
    {"conv", "Convolution"},
    {"data", "Data"},
    {"dropout", "Dropout"},
    {"euclidean_loss", "EuclideanLoss"},
    {"flatten", "Flatten"},
    {"hdf5_data", "HDF5Data"},
    {"hdf5_output", "HDF5Output"},
    {"im2col", "Im2col"},
    {"images", "ImageData"},
    {"infogain_loss", "InfogainLoss"},
    {"innerproduct", "InnerProduct"},
    {"lrn", "LRN"},
    {"multinomial_logistic_loss", "MultinomialLogisticLoss"},
    {"pool", "Pooling"},
    {"relu", "ReLU"},
    {"sigmoid", "Sigmoid"},
    {"softmax", "Softmax"},
    {"softmax_loss", "SoftmaxWithLoss"},
    {"split", "Split"},
    {"tanh", "TanH"},
    {"window_data", "WindowData"},
};

// A name that is not in the table stays, so that messages can tell it.
template <size_t n>
std::string new_type(const TypeName (&table)[n], const std::string& type) {
  for (const TypeName& row : table) {
    if (row.old_name == type) return std::string(row.name);
  }
  return type;
}

Message upgraded_v1(Message&& old) {
  Message layer("LayerParameter");
  std::string type;
  if (old.has("type") && old.choice("type") != "NONE") {
    type = new_type(kTypesOfV1, old.choice("type"));
  }
  for (const std::string& name : old.texts("param")) {
    layer.add_message("param").add("name", name);
  }
  layer.take_fields(std::move(old));
  layer.add("type", type);
  return layer;
}

// Where a field of V0's one message goes.
struct V0Field {
  std::string_view type;
  std::string_view old_name;
  std::string_view params;
  std::string_view name;
};

constexpr V0Field kV0Fields[] = {
    {"conv", "num_output", "convolution_param", "num_output"},
    {"conv", "biasterm", "convolution_param", "bias_term"},
    {"conv", "pad", "convolution_param", "pad"},
    {"conv", "kernelsize", "convolution_param", "kernel_size"},
    {"conv", "group", "convolution_param", "group"},
    {"conv", "stride", "convolution_param", "stride"},
    {"innerproduct", "num_output", "inner_product_param", "num_output"},
    {"innerproduct", "biasterm", "inner_product_param", "bias_term"},
    {"pool", "pool", "pooling_param", "pool"},
    {"pool", "pad", "pooling_param", "pad"},
    {"pool", "kernelsize", "pooling_param", "kernel_size"},
    {"pool", "stride", "pooling_param", "stride"},
    {"dropout", "dropout_ratio", "dropout_param", "dropout_ratio"},
    {"lrn", "local_size", "lrn_param", "local_size"},
    {"lrn", "alpha", "lrn_param", "alpha"},
    {"lrn", "beta", "lrn_param", "beta"},
    {"lrn", "k", "lrn_param", "k"},
    {"concat", "concat_dim", "concat_param", "concat_dim"},
};

// The layer without its connections, which the message around it has.
Message upgraded_v0(const Message& old) {
  Message layer("LayerParameter");
  const std::string type = old.text("type");
  layer.add("name", old.text("name"));
  layer.add("type", new_type(kTypesOfV0, type));
  for (const V0Field& field : kV0Fields) {
    if (field.type != type || !old.has(field.old_name)) continue;
    Message& params = layer.add_message(field.params);
    switch (old.type().find(field.old_name)->kind) {
      case FieldKind::kFloat:
        params.add(field.name, old.number(field.old_name));
        break;
      case FieldKind::kEnum:
        params.add_choice(field.name, old.choice(field.old_name));
        break;
      default:
        params.add(field.name, old.integer(field.old_name));
    }
  }
  for (const Message& blob : old.messages("blobs")) {
    layer.add_message("blobs") = blob;
  }
  return layer;
}

// Takes out padding layers, whose pad goes to the layers that read their tops.
class PaddingUpgrade {
 public:
  // False for a padding layer.
  bool pass(Message& layer) {
    if (layer.text("type") == "padding") {
      const std::vector<std::string> bottoms = layer.texts("bottom");
      const std::vector<std::string> tops = layer.texts("top");
      if (bottoms.size() != 1 || tops.size() != 1) {
        raise<ValueError>(
            "layer ", array::quote(layer.text("name")),
            " of type 'padding': expected one bottom and one top, got ",
            bottoms.size(), " and ", tops.size());
      }
      padded_[tops[0]] = {bottoms[0], pad_};
      return false;
    }
    std::vector<std::string> bottoms = layer.texts("bottom");
    for (std::string& bottom : bottoms) {
      const auto found = padded_.find(bottom);
      if (found == padded_.end()) continue;
      add_pad(layer, found->second.pad);
      bottom = found->second.bottom;
    }
    auto& values = std::get<std::vector<std::string>>(
        layer.values_of(*layer.type().find("bottom")));
    values = std::move(bottoms);
    for (const std::string& top : layer.texts("top")) padded_.erase(top);
    return true;
  }
  // What the V0 message of the layer that comes says.
  void set_pad(int64_t pad) { pad_ = pad; }

 private:
  struct Padded {
    std::string bottom;
    int64_t pad;
  };

  static void add_pad(Message& layer, int64_t pad) {
    const std::string type = layer.text("type");
    if (type != "Convolution" && type != "Pooling") {
      raise<ValueError>("layer ", array::quote(layer.text("name")),
                        " of type '", type,
                        "': only convolutions and poolings can read a padding "
                        "layer");
    }
    Message& params = layer.add_message(
        type == "Pooling" ? "pooling_param" : "convolution_param");
    std::get<std::vector<int64_t>>(
        params.values_of(*params.type().find("pad"))) = {pad};
  }

  std::map<std::string, Padded> padded_;
  int64_t pad_ = 0;
};

}  // namespace

std::vector<Message> upgraded_layers(Message&& net, int& generation) {
  if (net.has("layer") && net.has("layers")) {
    raise<ValueError>(
        "the net has layers of two generations, in `layer` and in `layers`");
  }
  std::vector<Message> result;
  generation = 2;
  if (!net.has("layers")) {
    auto& layers = std::get<std::vector<Message>>(
        net.values_of(*net.type().find("layer")));
    return std::move(layers);
  }
  generation = 1;
  PaddingUpgrade padding;
  for (Message& old : std::get<std::vector<Message>>(
           net.values_of(*net.type().find("layers")))) {
    if (!old.has("layer")) {
      result.push_back(upgraded_v1(std::move(old)));
      continue;
    }
    generation = 0;
    const Message& inner = old.message("layer");
    padding.set_pad(inner.integer("pad"));
    Message layer = upgraded_v0(inner);
    for (const std::string& bottom : old.texts("bottom")) {
      layer.add("bottom", bottom);
    }
    for (const std::string& top : old.texts("top")) layer.add("top", top);
    if (padding.pass(layer)) result.push_back(std::move(layer));
  }
  return result;
}

}  // namespace catena::caffe
