#include "catena/caffe/export_caffe.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/quote.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable_node.h"
#include "catena/caffe/net_messages.h"
#include "catena/functions/spatial.h"

namespace catena::caffe {
namespace {

using functions::CallRecording;
using functions::RecordedCall;

void add_dims(BlobShape& shape, const Shape& extents) {
  for (const int64_t extent : extents) shape.add_dim(extent);
}

template <class List>
void add_sizes(List& list, const Shape& sizes) {
  for (const int64_t size : sizes) list.Add(static_cast<uint32_t>(size));
}

// The graph keeps the shapes of all variables, but not all data.
const Shape& shape_of(const Variable& x) { return x.node()->shape(); }

class Exporter {
 public:
  Exporter(const CallRecording* recording, const ExportOptions& options)
      : recording_(recording), has_params_(options.export_params) {
    net_.set_name(options.graph_name);
  }

  // Depth-first without recursion, since networks may be deep.
  NetParameter net_of(const std::vector<Variable>& outputs) {
    for (const Variable& output : outputs) {
      if (!output.defined()) {
        raise<ValueError>("export_caffe: expected outputs, got None");
      }
      std::vector<Variable> stack = {output};
      while (!stack.empty()) {
        const Variable y = stack.back();
        const std::vector<Variable> missing = inputs_without_blob(y);
        if (blobs_.contains(y.node())) {
          stack.pop_back();
        } else if (missing.empty()) {
          stack.pop_back();
          add(y);
        } else {
          stack.insert(stack.end(), missing.rbegin(), missing.rend());
        }
      }
    }
    for (LayerParameter& layer : *layers_.mutable_layer()) {
      net_.add_layer()->Swap(&layer);
    }
    return std::move(net_);
  }

 private:
  const RecordedCall* call_of(const Variable& y) const {
    return recording_ == nullptr ? nullptr : recording_->find(y.node());
  }

  // The images that y is computed from; weights are not blobs.
  std::vector<Variable> images_of(const Variable& y) const {
    if (const RecordedCall* const call = call_of(y)) return {call->inputs[0]};
    const FunctionNode* const creator = y.creator_node();
    if (creator == nullptr) return {};
    std::vector<Variable> result;
    for (const auto& input : creator->inputs()) {
      result.push_back(Variable::from_node(input.get()));
      if (creator->label() == "linear") break;
    }
    return result;
  }

  std::vector<Variable> inputs_without_blob(const Variable& y) const {
    std::vector<Variable> result;
    for (const Variable& x : images_of(y)) {
      if (!blobs_.contains(x.node())) result.push_back(x);
    }
    return result;
  }

  void add(const Variable& y) {
    kept_.push_back(y);
    if (const RecordedCall* const call = call_of(y)) {
      add_call(*call, y);
    } else if (y.creator_node() != nullptr) {
      add_function(*y.creator_node(), y);
    } else {
      add_input(y);
    }
  }

  void add_input(const Variable& x) {
    const std::string name = inputs_ == 0 ? "data" : str("data", inputs_);
    ++inputs_;
    LayerParameter& layer = *net_.add_layer();
    layer.set_name(name);
    layer.set_type("Input");
    layer.add_top(name);
    add_dims(*layer.mutable_input_param()->add_shape(), shape_of(x));
    blobs_[x.node()] = name;
  }

  // A layer from x to y, named after its function.
  LayerParameter& layer(std::string_view type, std::string_view function,
                        const Variable& y) {
    const std::string name =
        str(function, "-", ++counts_[std::string(function)]);
    LayerParameter& result = *layers_.add_layer();
    result.set_name(name);
    result.set_type(std::string(type));
    for (const Variable& x : images_of(y)) {
      result.add_bottom(blobs_.at(x.node()));
    }
    result.add_top(name);
    blobs_[y.node()] = name;
    return result;
  }

  void add_blob(LayerParameter& layer, const Array& values) {
    if (has_params_) caffe::add_blob(layer, values);
  }

  void add_call(const RecordedCall& call, const Variable& y) {
    if (call.function == "convolution_nd") {
      add_convolution(call, y, "Convolution");
    } else if (call.function == "deconvolution_nd") {
      add_convolution(call, y, "Deconvolution");
    } else if (call.function == "max_pooling_nd") {
      add_pooling(call, y, PoolingParameter::MAX);
    } else if (call.function == "average_pooling_nd") {
      add_pooling(call, y, PoolingParameter::AVE);
    } else if (call.function == "local_response_normalization") {
      add_lrn(call, y);
    } else if (call.function == "fixed_batch_normalization") {
      add_batch_norm(call, y);
    } else if (call.function == "leaky_relu") {
      layer("ReLU", call.function, y)
          .mutable_relu_param()
          ->set_negative_slope(static_cast<float>(call.number("slope")));
    } else if (call.function == "softmax") {
      layer("Softmax", call.function, y)
          .mutable_softmax_param()
          ->set_axis(static_cast<int32_t>(call.integer("axis")));
    } else {
      refuse(call.function);
    }
  }

  [[noreturn]] static void refuse(std::string_view function) {
    raise<NotImplementedError>("export_caffe: there is no layer for ",
                               function);
  }

  void add_convolution(const RecordedCall& call, const Variable& y,
                       std::string_view type) {
    const Array& W = call.inputs[1].data();
    LayerParameter& result = layer(type, call.function, y);
    ConvolutionParameter& params = *result.mutable_convolution_param();
    params.set_num_output(static_cast<uint32_t>(shape_of(y)[1]));
    params.set_bias_term(call.inputs.size() > 2);
    add_sizes(*params.mutable_pad(), call.sizes("pad"));
    for (int axis = 2; axis < W.ndim(); ++axis) {
      params.add_kernel_size(static_cast<uint32_t>(W.shape()[axis]));
    }
    add_sizes(*params.mutable_stride(), call.sizes("stride"));
    params.set_group(static_cast<uint32_t>(call.integer("groups")));
    add_sizes(*params.mutable_dilation(), call.sizes("dilate"));
    add_blob(result, W);
    if (call.inputs.size() > 2) add_blob(result, call.inputs[2].data());
    // Caffe computes the minimum output size and allows no other.
    for (int i = 0; i + 2 < shape_of(y).ndim(); ++i) {
      const bool forward = type == "Convolution";
      const int64_t from = shape_of(call.inputs[0])[i + 2];
      const int64_t k = W.shape()[i + 2];
      const int64_t s = call.sizes("stride")[i];
      const int64_t p = call.sizes("pad")[i];
      const int64_t d = call.sizes("dilate")[i];
      const int64_t size =
          forward ? functions::get_conv_outsize(from, k, s, p, false, d)
                  : functions::get_deconv_outsize(from, k, s, p, false, d);
      if (size != shape_of(y)[i + 2]) {
        raise<ValueError>("export_caffe: ", call.function,
                          ": Caffe's output has size ", size, " along axis ",
                          i + 2, ", this output has size ", shape_of(y)[i + 2]);
      }
    }
  }

  void add_pooling(const RecordedCall& call, const Variable& y,
                   PoolingParameter::PoolMethod method) {
    const Shape& size = call.sizes("ksize");
    const Shape& stride = call.sizes("stride");
    const Shape& pad = call.sizes("pad");
    if (size.ndim() != 2) {
      raise<ValueError>("export_caffe: ", call.function,
                        ": expected 2 spatial axes, got ", size.ndim());
    }
    const bool ceil = call.integer("cover_all") != 0;
    const bool is_padded = pad[0] > 0 || pad[1] > 0;
    for (int i = 0; i < 2; ++i) {
      const int64_t from = shape_of(call.inputs[0])[i + 2];
      const int64_t last = (shape_of(y)[i + 2] - 1) * stride[i];
      if ((is_padded && last >= from + pad[i]) || pad[i] >= size[i]) {
        raise<ValueError>("export_caffe: ", call.function,
                          ": Caffe has no window that starts beyond the image "
                          "and no pad as large as a window, got window ",
                          size, ", stride ", stride, ", pad ", pad,
                          " over shape ", shape_of(call.inputs[0]));
      }
    }
    PoolingParameter& params =
        *layer("Pooling", call.function, y).mutable_pooling_param();
    params.set_pool(method);
    params.set_kernel_h(static_cast<uint32_t>(size[0]));
    params.set_kernel_w(static_cast<uint32_t>(size[1]));
    params.set_stride_h(static_cast<uint32_t>(stride[0]));
    params.set_stride_w(static_cast<uint32_t>(stride[1]));
    params.set_pad_h(static_cast<uint32_t>(pad[0]));
    params.set_pad_w(static_cast<uint32_t>(pad[1]));
    if (!ceil) params.set_round_mode(PoolingParameter::FLOOR);
  }

  void add_lrn(const RecordedCall& call, const Variable& y) {
    const int64_t size = 2 * (call.integer("n") / 2) + 1;
    LRNParameter& params = *layer("LRN", call.function, y).mutable_lrn_param();
    params.set_local_size(static_cast<uint32_t>(size));
    params.set_alpha(
        static_cast<float>(call.number("alpha") * static_cast<double>(size)));
    params.set_beta(static_cast<float>(call.number("beta")));
    params.set_k(static_cast<float>(call.number("k")));
  }

  // Two layers, since Caffe's BatchNorm has no factors.
  void add_batch_norm(const RecordedCall& call, const Variable& y) {
    const Shape& size = call.inputs[1].shape();
    const Variable& x = call.inputs[0];
    if (size != Shape{shape_of(x).ndim() > 1 ? shape_of(x)[1] : 0}) {
      raise<ValueError>("export_caffe: ", call.function,
                        ": expected statistics of channels, got shape ", size);
    }
    LayerParameter& bn = layer("BatchNorm", call.function, y);
    const std::string name = bn.name();
    BatchNormParameter& params = *bn.mutable_batch_norm_param();
    params.set_use_global_stats(true);
    params.set_eps(static_cast<float>(call.number("eps")));
    add_blob(bn, call.inputs[3].data());
    add_blob(bn, call.inputs[4].data());
    add_blob(bn, array::ones({1}, Dtype::kFloat32));
    LayerParameter& scale = *layers_.add_layer();
    scale.set_name(name + "-scale");
    scale.set_type("Scale");
    scale.add_bottom(name);
    scale.add_top(name);
    scale.mutable_scale_param()->set_bias_term(true);
    add_blob(scale, call.inputs[1].data());
    add_blob(scale, call.inputs[2].data());
  }

  void add_function(const FunctionNode& function, const Variable& y) {
    const std::string_view label = function.label();
    if (label == "relu") {
      layer("ReLU", label, y);
    } else if (label == "sigmoid") {
      layer("Sigmoid", label, y);
    } else if (label == "tanh") {
      layer("TanH", label, y);
    } else if (label == "reshape") {
      add_dims(
          *layer("Reshape", label, y).mutable_reshape_param()->mutable_shape(),
          shape_of(y));
    } else if (label == "concat") {
      add_concat(y);
    } else if (label == "linear") {
      add_linear(function, y);
    } else if (label == "_ + _") {
      add_sum(function, y);
    } else {
      raise_unknown(label);
    }
  }

  [[noreturn]] void raise_unknown(std::string_view label) const {
    if (recording_ == nullptr) {
      raise<ValueError>("export_caffe: ", label,
                        ": expected outputs that were computed during a "
                        "functions::CallRecording");
    }
    refuse(label);
  }

  void add_linear(const FunctionNode& function, const Variable& y) {
    const auto inputs = function.inputs();
    LayerParameter& result = layer("InnerProduct", "linear", y);
    InnerProductParameter& params = *result.mutable_inner_product_param();
    params.set_num_output(static_cast<uint32_t>(shape_of(y)[1]));
    params.set_bias_term(inputs.size() > 2);
    for (size_t i = 1; i < inputs.size(); ++i) {
      add_blob(result, Variable::from_node(inputs[i].get()).data());
    }
  }

  void add_sum(const FunctionNode& function, const Variable& y) {
    const auto inputs = function.inputs();
    if (inputs[0]->shape() != inputs[1]->shape()) {
      raise<ValueError>(
          "export_caffe: a sum: expected variables of equal shape, "
          "got ",
          inputs[0]->shape(), " and ", inputs[1]->shape());
    }
    layer("Eltwise", "add", y)
        .mutable_eltwise_param()
        ->set_operation(EltwiseParameter::SUM);
  }

  // The axis along which y is longer.
  void add_concat(const Variable& y) {
    const Shape first = shape_of(images_of(y)[0]);
    int axis = 1;
    for (int i = 0; i < shape_of(y).ndim(); ++i) {
      if (first[i] != shape_of(y)[i]) axis = i;
    }
    layer("Concat", "concat", y).mutable_concat_param()->set_axis(axis);
  }

  const CallRecording* recording_;
  bool has_params_;
  NetParameter net_;  // inputs come first
  NetParameter layers_;
  std::map<const VariableNode*, std::string> blobs_;
  std::map<std::string, int> counts_;
  std::vector<Variable> kept_;  // so that their addresses stay unique
  int inputs_ = 0;
};

// The net without parameter values.
void write_text(const std::string& path, NetParameter& net) {
  for (LayerParameter& layer : *net.mutable_layer()) layer.clear_blobs();
  std::string text;
  google::protobuf::TextFormat::PrintToString(net, &text);
  array::AtomicFile file(path, "export_caffe");
  file.write(text);
  file.commit();
}

}  // namespace

void export_caffe(const std::vector<Variable>& outputs,
                  const std::string& directory, const ExportOptions& options) {
  if (outputs.empty()) {
    raise<ValueError>("export_caffe: expected at least one output");
  }
  NetParameter net =
      Exporter(CallRecording::current(), options).net_of(outputs);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    raise<IoError>("export_caffe: cannot create the folder ",
                   array::quote_path(directory), ": ", error.message());
  }
  if (options.export_params) {
    array::AtomicFile file(directory + "/chainer_model.caffemodel",
                           "export_caffe");
    write_net(net, file);
    file.commit();
  }
  write_text(directory + "/chainer_model.prototxt", net);
}

}  // namespace catena::caffe
