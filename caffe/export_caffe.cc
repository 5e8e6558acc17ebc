#include "catena/caffe/export_caffe.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/quote.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable_node.h"
#include "catena/caffe/encode.h"
#include "catena/caffe/message.h"
#include "catena/functions/spatial.h"

namespace catena::caffe {
namespace {

using functions::CallRecording;
using functions::RecordedCall;

void add_dims(Message& shape, const Shape& extents) {
  for (const int64_t extent : extents) shape.add("dim", extent);
}

// The graph keeps shapes of variables, but not the data of all.
const Shape& shape_of(const Variable& x) { return x.node()->shape(); }

class Exporter {
 public:
  Exporter(const CallRecording* recording, const ExportOptions& options)
      : recording_(recording), net_("NetParameter"), layers_("NetParameter") {
    net_.add("name", options.graph_name);
  }

  // Depth first without recursion: networks may be deep.
  Message net_of(const std::vector<Variable>& outputs) {
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
    for (const Message& layer : layers_.messages("layer")) {
      net_.add_message("layer") = layer;
    }
    return net_;
  }

 private:
  const RecordedCall* call_of(const Variable& y) const {
    return recording_ == nullptr ? nullptr : recording_->find(y.node());
  }

  // The images that y is made of; weights are no blobs.
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
    Message& layer = net_.add_message("layer");
    layer.add("name", name);
    layer.add("type", "Input");
    layer.add("top", name);
    add_dims(layer.add_message("input_param").add_message("shape"),
             shape_of(x));
    blobs_[x.node()] = name;
  }

  // A layer from x to y, named after its function.
  Message& layer(std::string_view type, std::string_view function,
                 const Variable& y) {
    const std::string name =
        str(function, "-", ++counts_[std::string(function)]);
    Message& result = layers_.add_message("layer");
    result.add("name", name);
    result.add("type", std::string(type));
    for (const Variable& x : images_of(y)) {
      result.add("bottom", blobs_.at(x.node()));
    }
    result.add("top", name);
    blobs_[y.node()] = name;
    return result;
  }

  static void add_blob(Message& layer, const Array& values) {
    Message& blob = layer.add_message("blobs");
    add_dims(blob.add_message("shape"), values.shape());
    blob.add_values("data", values);
  }

  void add_call(const RecordedCall& call, const Variable& y) {
    if (call.function == "convolution_nd") {
      add_convolution(call, y, "Convolution");
    } else if (call.function == "deconvolution_nd") {
      add_convolution(call, y, "Deconvolution");
    } else if (call.function == "max_pooling_nd") {
      add_pooling(call, y, "MAX");
    } else if (call.function == "average_pooling_nd") {
      add_pooling(call, y, "AVE");
    } else if (call.function == "local_response_normalization") {
      add_lrn(call, y);
    } else if (call.function == "fixed_batch_normalization") {
      add_batch_norm(call, y);
    } else if (call.function == "leaky_relu") {
      layer("ReLU", call.function, y)
          .add_message("relu_param")
          .add("negative_slope", call.number("slope"));
    } else if (call.function == "softmax") {
      layer("Softmax", call.function, y)
          .add_message("softmax_param")
          .add("axis", call.integer("axis"));
    } else {
      refuse(call.function);
    }
  }

  [[noreturn]] static void refuse(std::string_view function) {
    raise<NotImplementedError>("export_caffe: there is no layer for ",
                               function);
  }

  static void add_sizes(Message& params, std::string_view field,
                        const Shape& sizes) {
    for (const int64_t size : sizes) params.add(field, size);
  }

  void add_convolution(const RecordedCall& call, const Variable& y,
                       std::string_view type) {
    const Array& W = call.inputs[1].data();
    Message& result = layer(type, call.function, y);
    Message& params = result.add_message("convolution_param");
    params.add("num_output", shape_of(y)[1]);
    params.add("bias_term", call.inputs.size() > 2);
    add_sizes(params, "pad", call.sizes("pad"));
    for (int axis = 2; axis < W.ndim(); ++axis) {
      params.add("kernel_size", W.shape()[axis]);
    }
    add_sizes(params, "stride", call.sizes("stride"));
    params.add("group", call.integer("groups"));
    add_sizes(params, "dilation", call.sizes("dilate"));
    add_blob(result, W);
    if (call.inputs.size() > 2) add_blob(result, call.inputs[2].data());
    // Caffe has no other sizes than the least.
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
                          ": Caffe's output has ", size, " along axis ", i + 2,
                          ", this one ", shape_of(y)[i + 2]);
      }
    }
  }

  void add_pooling(const RecordedCall& call, const Variable& y,
                   const char* method) {
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
                          ": Caffe has no window that begins behind the image, "
                          "and no pad as large as a window: ",
                          size, ", stride ", stride, ", pad ", pad,
                          " over shape ", shape_of(call.inputs[0]));
      }
    }
    Message& params =
        layer("Pooling", call.function, y).add_message("pooling_param");
    params.add_choice("pool", method);
    params.add("kernel_h", size[0]);
    params.add("kernel_w", size[1]);
    params.add("stride_h", stride[0]);
    params.add("stride_w", stride[1]);
    params.add("pad_h", pad[0]);
    params.add("pad_w", pad[1]);
    if (!ceil) params.add_choice("round_mode", "FLOOR");
  }

  void add_lrn(const RecordedCall& call, const Variable& y) {
    const int64_t size = 2 * (call.integer("n") / 2) + 1;
    Message& params = layer("LRN", call.function, y).add_message("lrn_param");
    params.add("local_size", size);
    params.add("alpha", call.number("alpha") * static_cast<double>(size));
    params.add("beta", call.number("beta"));
    params.add("k", call.number("k"));
  }

  // Two layers, for Caffe's has no factors.
  void add_batch_norm(const RecordedCall& call, const Variable& y) {
    const Shape& size = call.inputs[1].shape();
    const Variable& x = call.inputs[0];
    if (size != Shape{shape_of(x).ndim() > 1 ? shape_of(x)[1] : 0}) {
      raise<ValueError>("export_caffe: ", call.function,
                        ": expected statistics of channels, got shape ", size);
    }
    Message& bn = layer("BatchNorm", call.function, y);
    const std::string name = bn.text("name");
    Message& params = bn.add_message("batch_norm_param");
    params.add("use_global_stats", true);
    params.add("eps", call.number("eps"));
    add_blob(bn, call.inputs[3].data());
    add_blob(bn, call.inputs[4].data());
    add_blob(bn, array::ones({1}, Dtype::kFloat32));
    Message& scale = layers_.add_message("layer");
    scale.add("name", name + "-scale");
    scale.add("type", "Scale");
    scale.add("bottom", name);
    scale.add("top", name);
    scale.add_message("scale_param").add("bias_term", true);
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
      add_dims(layer("Reshape", label, y)
                   .add_message("reshape_param")
                   .add_message("shape"),
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
                        ": compute the outputs while there is a "
                        "functions::CallRecording");
    }
    refuse(label);
  }

  void add_linear(const FunctionNode& function, const Variable& y) {
    const auto inputs = function.inputs();
    Message& result = layer("InnerProduct", "linear", y);
    Message& params = result.add_message("inner_product_param");
    params.add("num_output", shape_of(y)[1]);
    params.add("bias_term", inputs.size() > 2);
    for (size_t i = 1; i < inputs.size(); ++i) {
      add_blob(result, Variable::from_node(inputs[i].get()).data());
    }
  }

  void add_sum(const FunctionNode& function, const Variable& y) {
    const auto inputs = function.inputs();
    if (inputs[0]->shape() != inputs[1]->shape()) {
      raise<ValueError>(
          "export_caffe: a sum: expected variables of one shape, "
          "got ",
          inputs[0]->shape(), " and ", inputs[1]->shape());
    }
    layer("Eltwise", "add", y)
        .add_message("eltwise_param")
        .add_choice("operation", "SUM");
  }

  // The axis is the one along which y is longer.
  void add_concat(const Variable& y) {
    const Shape first = shape_of(images_of(y)[0]);
    int64_t axis = 1;
    for (int i = 0; i < shape_of(y).ndim(); ++i) {
      if (first[i] != shape_of(y)[i]) axis = i;
    }
    layer("Concat", "concat", y).add_message("concat_param").add("axis", axis);
  }

  const CallRecording* recording_;
  Message net_;  // inputs come first
  Message layers_;
  std::map<const VariableNode*, std::string> blobs_;
  std::map<std::string, int> counts_;
  std::vector<Variable> kept_;  // so that no other node gets their addresses
  int inputs_ = 0;
};

void write(const std::string& path, const std::string& text) {
  array::AtomicFile file(path, "export_caffe");
  file.write(text);
  file.commit();
}

Message without_blobs(Message net) {
  for (Message& layer : std::get<std::vector<Message>>(
           net.values_of(*net.type().find("layer")))) {
    std::get<std::vector<Message>>(layer.values_of(*layer.type().find("blobs")))
        .clear();
  }
  return net;
}

}  // namespace

void export_caffe(const std::vector<Variable>& outputs,
                  const std::string& directory, const ExportOptions& options) {
  if (outputs.empty()) {
    raise<ValueError>("export_caffe: expected at least one output");
  }
  const Message net =
      Exporter(CallRecording::current(), options).net_of(outputs);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    raise<IoError>("export_caffe: cannot make the folder ",
                   array::quote_path(directory), ": ", error.message());
  }
  write(directory + "/chainer_model.prototxt", to_text(without_blobs(net)));
  if (!options.export_params) return;
  array::AtomicFile file(directory + "/chainer_model.caffemodel",
                         "export_caffe");
  encode(net, file);
  file.commit();
}

}  // namespace catena::caffe
