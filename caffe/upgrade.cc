#include "catena/caffe/upgrade.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"

namespace catena::caffe {
namespace {

constexpr std::pair<V1LayerParameter::LayerType, std::string_view>
    kTypesOfV1[] = {
        {V1LayerParameter::ABSVAL, "AbsVal"},
        {V1LayerParameter::ACCURACY, "Accuracy"},
        {V1LayerParameter::ARGMAX, "ArgMax"},
        {V1LayerParameter::BNLL, "BNLL"},
        {V1LayerParameter::CONCAT, "Concat"},
        {V1LayerParameter::CONTRASTIVE_LOSS, "ContrastiveLoss"},
        {V1LayerParameter::CONVOLUTION, "Convolution"},
        {V1LayerParameter::DATA, "Data"},
        {V1LayerParameter::DECONVOLUTION, "Deconvolution"},
        {V1LayerParameter::DROPOUT, "Dropout"},
        {V1LayerParameter::DUMMY_DATA, "DummyData"},
        {V1LayerParameter::ELTWISE, "Eltwise"},
        {V1LayerParameter::EUCLIDEAN_LOSS, "EuclideanLoss"},
        {V1LayerParameter::EXP, "Exp"},
        {V1LayerParameter::FLATTEN, "Flatten"},
        {V1LayerParameter::HDF5_DATA, "HDF5Data"},
        {V1LayerParameter::HDF5_OUTPUT, "HDF5Output"},
        {V1LayerParameter::HINGE_LOSS, "HingeLoss"},
        {V1LayerParameter::IM2COL, "Im2col"},
        {V1LayerParameter::IMAGE_DATA, "ImageData"},
        {V1LayerParameter::INFOGAIN_LOSS, "InfogainLoss"},
        {V1LayerParameter::INNER_PRODUCT, "InnerProduct"},
        {V1LayerParameter::LRN, "LRN"},
        {V1LayerParameter::MEMORY_DATA, "MemoryData"},
        {V1LayerParameter::MULTINOMIAL_LOGISTIC_LOSS,
         "MultinomialLogisticLoss"},
        {V1LayerParameter::MVN, "MVN"},
        {V1LayerParameter::POOLING, "Pooling"},
        {V1LayerParameter::POWER, "Power"},
        {V1LayerParameter::RELU, "ReLU"},
        {V1LayerParameter::SIGMOID, "Sigmoid"},
        {V1LayerParameter::SIGMOID_CROSS_ENTROPY_LOSS,
         "SigmoidCrossEntropyLoss"},
        {V1LayerParameter::SILENCE, "Silence"},
        {V1LayerParameter::SLICE, "Slice"},
        {V1LayerParameter::SOFTMAX, "Softmax"},
        {V1LayerParameter::SOFTMAX_LOSS, "SoftmaxWithLoss"},
        {V1LayerParameter::SPLIT, "Split"},
        {V1LayerParameter::TANH, "TanH"},
        {V1LayerParameter::THRESHOLD, "Threshold"},
        {V1LayerParameter::WINDOW_DATA, "WindowData"},
};

constexpr std::pair<std::string_view, std::string_view> kTypesOfV0[] = {
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

// "" when the type has no name in the newest version.
template <class Type, size_t n>
std::string new_type(const std::pair<Type, std::string_view> (&table)[n],
                     const std::type_identity_t<Type>& type) {
  for (const auto& [old_type, name] : table) {
    if (old_type == type) return std::string(name);
  }
  return "";
}

// Moves the fields that both versions have. The messages share an arena, so no
// values are copied.
void hand_over_fields(V1LayerParameter& old, LayerParameter& layer) {
  layer.set_name(old.name());
  layer.mutable_bottom()->Swap(old.mutable_bottom());
  layer.mutable_top()->Swap(old.mutable_top());
  layer.mutable_blobs()->Swap(old.mutable_blobs());
  layer.mutable_include()->Swap(old.mutable_include());
  layer.mutable_exclude()->Swap(old.mutable_exclude());
  const auto& from = *old.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  from.ListFields(old, &fields);
  for (const auto* const field : fields) {
    // Parameters of the types: "convolution_param", ...
    const auto* const own =
        field->is_repeated()
            ? nullptr
            : layer.GetDescriptor()->FindFieldByName(field->name());
    if (own == nullptr || own->message_type() == nullptr) continue;
    layer.GetReflection()
        ->MutableMessage(&layer, own)
        ->CopyFrom(from.GetMessage(old, field));
  }
}

void upgrade_v1(V1LayerParameter& old, LayerParameter& layer) {
  hand_over_fields(old, layer);
  layer.set_type(new_type(kTypesOfV1, old.type()));
  for (const std::string& name : old.param()) layer.add_param()->set_name(name);
}

// Numbers that V0 omits have the same defaults in the newest version, or none
// in either.
void upgrade_v0_params(const V0LayerParameter& old, LayerParameter& layer) {
  if (old.type() == "conv") {
    ConvolutionParameter& params = *layer.mutable_convolution_param();
    params.set_num_output(old.num_output());
    params.set_bias_term(old.biasterm());
    params.set_group(old.group());
    params.add_stride(old.stride());
    if (old.has_pad()) params.add_pad(old.pad());
    if (old.has_kernelsize()) params.add_kernel_size(old.kernelsize());
  } else if (old.type() == "innerproduct") {
    InnerProductParameter& params = *layer.mutable_inner_product_param();
    params.set_num_output(old.num_output());
    params.set_bias_term(old.biasterm());
  } else if (old.type() == "pool") {
    PoolingParameter& params = *layer.mutable_pooling_param();
    params.set_pool(static_cast<PoolingParameter::PoolMethod>(old.pool()));
    params.set_stride(old.stride());
    params.set_pad(old.pad());
    if (old.has_kernelsize()) params.set_kernel_size(old.kernelsize());
  } else if (old.type() == "dropout") {
    layer.mutable_dropout_param()->set_dropout_ratio(old.dropout_ratio());
  } else if (old.type() == "lrn") {
    LRNParameter& params = *layer.mutable_lrn_param();
    params.set_local_size(old.local_size());
    params.set_alpha(old.alpha());
    params.set_beta(old.beta());
    params.set_k(old.k());
  } else if (old.type() == "concat") {
    layer.mutable_concat_param()->set_concat_dim(old.concat_dim());
  }
}

// The outer message has the layer's connections.
void upgrade_v0(V1LayerParameter& outer, LayerParameter& layer) {
  V0LayerParameter& old = *outer.mutable_layer();
  hand_over_fields(outer, layer);
  layer.set_name(old.name());
  // An unknown old type is kept for error messages.
  const std::string type = new_type(kTypesOfV0, old.type());
  layer.set_type(type.empty() ? old.type() : type);
  layer.mutable_blobs()->Swap(old.mutable_blobs());
  upgrade_v0_params(old, layer);
}

// Removes padding layers and moves their pad to the layers that read their
// tops.
class PaddingUpgrade {
 public:
  // False for a padding layer.
  bool pass(LayerParameter& layer, uint32_t pad) {
    if (layer.type() == "padding") {
      if (layer.bottom_size() != 1 || layer.top_size() != 1) {
        raise<ValueError>(
            "layer ", array::quote(layer.name()),
            " of type 'padding': expected one bottom and one top, got ",
            layer.bottom_size(), " and ", layer.top_size());
      }
      padded_[layer.top(0)] = {layer.bottom(0), pad};
      return false;
    }
    for (std::string& bottom : *layer.mutable_bottom()) {
      const auto found = padded_.find(bottom);
      if (found == padded_.end()) continue;
      set_pad(layer, found->second.pad);
      bottom = found->second.bottom;
    }
    for (const std::string& top : layer.top()) padded_.erase(top);
    return true;
  }

 private:
  struct Padded {
    std::string bottom;
    uint32_t pad;
  };

  static void set_pad(LayerParameter& layer, uint32_t pad) {
    if (layer.type() == "Pooling") {
      layer.mutable_pooling_param()->set_pad(pad);
    } else if (layer.type() == "Convolution") {
      layer.mutable_convolution_param()->clear_pad();
      layer.mutable_convolution_param()->add_pad(pad);
    } else {
      raise<ValueError>("layer ", array::quote(layer.name()), " of type '",
                        layer.type(),
                        "': only convolutions and poolings can read a padding "
                        "layer");
    }
  }

  std::map<std::string, Padded> padded_;
};

}  // namespace

std::vector<std::shared_ptr<LayerParameter>> upgraded_layers(
    NetMessages& messages, int& generation) {
  generation = 2;
  if (messages.layers_of_v1.empty()) return std::move(messages.layers);
  if (!messages.layers.empty()) {
    raise<ValueError>(
        "the net has layers of two versions, in `layer` and in `layers`");
  }
  generation = 1;
  PaddingUpgrade padding;
  std::vector<std::shared_ptr<LayerParameter>> result;
  for (const std::shared_ptr<V1LayerParameter>& old : messages.layers_of_v1) {
    const std::shared_ptr<LayerParameter> layer(
        old, LayerParameter::default_instance().New(old->GetArena()));
    if (!old->has_layer()) {
      upgrade_v1(*old, *layer);
      result.push_back(layer);
      continue;
    }
    generation = 0;
    upgrade_v0(*old, *layer);
    if (padding.pass(*layer, old->layer().pad())) result.push_back(layer);
  }
  return result;
}

}  // namespace catena::caffe
