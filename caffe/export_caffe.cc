#include "catena/caffe/export_caffe.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable_node.h"
#include "catena/caffe/net_messages.h"
#include "catena/functions/kinds.h"
#include "catena/functions/spatial.h"

namespace catena::caffe {
namespace {

namespace kinds = functions::kinds;

void add_dims(BlobShape& shape, const Shape& extents) {
  for (const int64_t extent : extents) shape.add_dim(extent);
}

template <class List>
void add_sizes(List& list, const Shape& sizes) {
  for (const int64_t size : sizes) list.Add(static_cast<uint32_t>(size));
}

// The graph keeps the shapes of all variables, but not all data.
const Shape& shape_of(const Variable& x) { return x.node()->shape(); }

// A function of the graph, read once.
struct Call {
  explicit Call(const FunctionNode& node)
      : node(node), description(node.description()) {}

  template <class Kind>
  bool is() const {
    return description.is<Kind>();
  }
  int n_inputs() const { return static_cast<int>(node.inputs().size()); }
  const Shape& shape(int input) const { return node.inputs()[input]->shape(); }
  // The values of an input other than an image.
  Array values(int input) const {
    Array array = node.kept_input(input);
    if (!array.defined()) {
      raise<ValueError>("export_caffe: ", node.label(), ": expected input ",
                        input, " to be held by a link, got a variable that is ",
                        "gone");
    }
    return array;
  }

  const FunctionNode& node;
  FunctionDescription description;
};

class Exporter {
 public:
  explicit Exporter(const ExportOptions& options)
      : has_params_(options.export_params) {
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
  using AddLayer = void (Exporter::*)(const Call& call, const Variable& y);

  // The layer of a function: what it is called in names of layers, and how many
  // of its inputs are images, 0 for all; the others are weights, or computed
  // from the images.
  struct Rule {
    FunctionKind kind;
    std::string_view name;
    int images;
    AddLayer add;
  };
  template <class Kind>
  static Rule rule(std::string_view name, int images, AddLayer add) {
    return {FunctionKind::of<Kind>(), name, images, add};
  }
  static std::span<const Rule> rules() {
    static const Rule kRules[] = {
        rule<kinds::Convolution>("convolution_nd", 1,
                                 &Exporter::add_convolution),
        rule<kinds::Deconvolution>("deconvolution_nd", 1,
                                   &Exporter::add_convolution),
        rule<kinds::Linear>("linear", 1, &Exporter::add_linear),
        rule<kinds::MaxPooling>("max_pooling_nd", 1, &Exporter::add_pooling),
        rule<kinds::AveragePooling>("average_pooling_nd", 1,
                                    &Exporter::add_pooling),
        rule<kinds::LocalResponseNormalization>("local_response_normalization",
                                                1, &Exporter::add_lrn),
        rule<kinds::FixedBatchNormalization>("fixed_batch_normalization", 1,
                                             &Exporter::add_batch_norm),
        rule<kinds::Relu>("relu", 1, &Exporter::add_relu),
        rule<kinds::LeakyRelu>("leaky_relu", 1, &Exporter::add_leaky_relu),
        rule<kinds::Sigmoid>("sigmoid", 1, &Exporter::add_sigmoid),
        rule<kinds::Tanh>("tanh", 1, &Exporter::add_tanh),
        rule<kinds::Softmax>("softmax", 1, &Exporter::add_softmax),
        rule<kinds::Reshape>("reshape", 1, &Exporter::add_reshape),
        rule<kinds::Concat>("concat", 0, &Exporter::add_concat),
        rule<kinds::Add>("add", 0, &Exporter::add_sum),
    };
    return kRules;
  }
  // Throws NotImplementedError if there is no layer for the function.
  static const Rule& rule_of(const FunctionNode& function) {
    const FunctionKind kind = function.description().kind();
    const auto rule = std::ranges::find(rules(), kind, &Rule::kind);
    if (rule == rules().end()) {
      raise<NotImplementedError>("export_caffe: there is no layer for ",
                                 function.label());
    }
    return *rule;
  }

  // The images that y is computed from.
  static std::vector<Variable> images_of(const Variable& y) {
    const FunctionNode* const creator = y.creator_node();
    if (creator == nullptr) return {};
    auto inputs = creator->inputs();
    if (const int images = rule_of(*creator).images; images > 0) {
      inputs = inputs.first(images);
    }
    std::vector<Variable> result;
    for (const auto& input : inputs) {
      result.push_back(Variable::from_node(input.get()));
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
    const FunctionNode* const creator = y.creator_node();
    if (creator == nullptr) {
      add_input(y);
    } else {
      (this->*rule_of(*creator).add)(Call(*creator), y);
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
  LayerParameter& layer(std::string_view type, const Variable& y) {
    const std::string_view function = rule_of(*y.creator_node()).name;
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
  // All inputs but the image.
  void add_weights(LayerParameter& layer, const Call& call) {
    if (!has_params_) return;
    for (int i = 1; i < call.n_inputs(); ++i) add_blob(layer, call.values(i));
  }

  void add_relu(const Call&, const Variable& y) { layer("ReLU", y); }
  void add_leaky_relu(const Call& call, const Variable& y) {
    layer("ReLU", y).mutable_relu_param()->set_negative_slope(
        static_cast<float>(call.description.number("slope")));
  }
  void add_sigmoid(const Call&, const Variable& y) { layer("Sigmoid", y); }
  void add_tanh(const Call&, const Variable& y) { layer("TanH", y); }
  void add_softmax(const Call& call, const Variable& y) {
    layer("Softmax", y)
        .mutable_softmax_param()
        ->set_axis(static_cast<int32_t>(call.description.integer("axis")));
  }
  void add_reshape(const Call&, const Variable& y) {
    add_dims(*layer("Reshape", y).mutable_reshape_param()->mutable_shape(),
             shape_of(y));
  }

  void add_convolution(const Call& call, const Variable& y) {
    const bool forward = call.is<kinds::Convolution>();
    const FunctionDescription& d = call.description;
    const Shape& kernel = call.shape(1);
    LayerParameter& result =
        layer(forward ? "Convolution" : "Deconvolution", y);
    ConvolutionParameter& params = *result.mutable_convolution_param();
    params.set_num_output(static_cast<uint32_t>(shape_of(y)[1]));
    params.set_bias_term(call.n_inputs() > 2);
    add_sizes(*params.mutable_pad(), d.sizes("pad"));
    for (int axis = 2; axis < kernel.ndim(); ++axis) {
      params.add_kernel_size(static_cast<uint32_t>(kernel[axis]));
    }
    add_sizes(*params.mutable_stride(), d.sizes("stride"));
    params.set_group(static_cast<uint32_t>(d.integer("groups")));
    add_sizes(*params.mutable_dilation(), d.sizes("dilate"));
    add_weights(result, call);
    // Caffe computes the minimum output size and allows no other.
    for (int i = 0; i + 2 < shape_of(y).ndim(); ++i) {
      const int64_t from = call.shape(0)[i + 2];
      const int64_t k = kernel[i + 2];
      const int64_t s = d.sizes("stride")[i];
      const int64_t p = d.sizes("pad")[i];
      const int64_t gap = d.sizes("dilate")[i];
      const int64_t size =
          forward ? functions::get_conv_outsize(from, k, s, p, false, gap)
                  : functions::get_deconv_outsize(from, k, s, p, false, gap);
      if (size != shape_of(y)[i + 2]) {
        raise<ValueError>("export_caffe: ", call.node.label(),
                          ": Caffe's output has size ", size, " along axis ",
                          i + 2, ", this output has size ", shape_of(y)[i + 2]);
      }
    }
  }

  void add_pooling(const Call& call, const Variable& y) {
    const bool is_max = call.is<kinds::MaxPooling>();
    const Shape& size = call.description.sizes("ksize");
    const Shape& stride = call.description.sizes("stride");
    const Shape& pad = call.description.sizes("pad");
    if (size.ndim() != 2) {
      raise<ValueError>("export_caffe: ", call.node.label(),
                        ": expected 2 spatial axes, got ", size.ndim());
    }
    const bool ceil = is_max && call.description.get<bool>("cover_all");
    const bool is_padded = pad[0] > 0 || pad[1] > 0;
    for (int i = 0; i < 2; ++i) {
      const int64_t from = call.shape(0)[i + 2];
      const int64_t last = (shape_of(y)[i + 2] - 1) * stride[i];
      if ((is_padded && last >= from + pad[i]) || pad[i] >= size[i]) {
        raise<ValueError>("export_caffe: ", call.node.label(),
                          ": Caffe has no window that starts beyond the image "
                          "and no pad as large as a window, got window ",
                          size, ", stride ", stride, ", pad ", pad,
                          " over shape ", call.shape(0));
      }
    }
    PoolingParameter& params = *layer("Pooling", y).mutable_pooling_param();
    params.set_pool(is_max ? PoolingParameter::MAX : PoolingParameter::AVE);
    params.set_kernel_h(static_cast<uint32_t>(size[0]));
    params.set_kernel_w(static_cast<uint32_t>(size[1]));
    params.set_stride_h(static_cast<uint32_t>(stride[0]));
    params.set_stride_w(static_cast<uint32_t>(stride[1]));
    params.set_pad_h(static_cast<uint32_t>(pad[0]));
    params.set_pad_w(static_cast<uint32_t>(pad[1]));
    if (!ceil) params.set_round_mode(PoolingParameter::FLOOR);
  }

  void add_lrn(const Call& call, const Variable& y) {
    const FunctionDescription& d = call.description;
    const int64_t size = 2 * (d.integer("n") / 2) + 1;
    LRNParameter& params = *layer("LRN", y).mutable_lrn_param();
    params.set_local_size(static_cast<uint32_t>(size));
    params.set_alpha(
        static_cast<float>(d.number("alpha") * static_cast<double>(size)));
    params.set_beta(static_cast<float>(d.number("beta")));
    params.set_k(static_cast<float>(d.number("k")));
  }

  // Two layers, since Caffe's BatchNorm has no factors.
  void add_batch_norm(const Call& call, const Variable& y) {
    const Shape& size = call.shape(1);
    const Shape& x = call.shape(0);
    if (size != Shape{x.ndim() > 1 ? x[1] : 0}) {
      raise<ValueError>("export_caffe: ", call.node.label(),
                        ": expected statistics of channels, got shape ", size);
    }
    LayerParameter& bn = layer("BatchNorm", y);
    const std::string name = bn.name();
    BatchNormParameter& params = *bn.mutable_batch_norm_param();
    params.set_use_global_stats(true);
    params.set_eps(static_cast<float>(call.description.number("eps")));
    add_blob(bn, call.values(3));
    add_blob(bn, call.values(4));
    add_blob(bn, array::ones({1}, Dtype::kFloat32));
    LayerParameter& scale = *layers_.add_layer();
    scale.set_name(name + "-scale");
    scale.set_type("Scale");
    scale.add_bottom(name);
    scale.add_top(name);
    scale.mutable_scale_param()->set_bias_term(true);
    add_blob(scale, call.values(1));
    add_blob(scale, call.values(2));
  }

  void add_linear(const Call& call, const Variable& y) {
    LayerParameter& result = layer("InnerProduct", y);
    InnerProductParameter& params = *result.mutable_inner_product_param();
    params.set_num_output(static_cast<uint32_t>(shape_of(y)[1]));
    params.set_bias_term(call.n_inputs() > 2);
    add_weights(result, call);
  }

  void add_sum(const Call& call, const Variable& y) {
    if (call.shape(0) != call.shape(1)) {
      raise<ValueError>(
          "export_caffe: a sum: expected variables of equal shape, "
          "got ",
          call.shape(0), " and ", call.shape(1));
    }
    layer("Eltwise", y)
        .mutable_eltwise_param()
        ->set_operation(EltwiseParameter::SUM);
  }

  void add_concat(const Call& call, const Variable& y) {
    const int axis = normalize_axis(call.description.integer("axis"),
                                    shape_of(y).ndim(), "export_caffe");
    layer("Concat", y).mutable_concat_param()->set_axis(axis);
  }

  bool has_params_;
  NetParameter net_;  // inputs come first
  NetParameter layers_;
  std::map<const VariableNode*, std::string> blobs_;
  std::map<std::string, int> counts_;
  std::vector<Variable> kept_;  // so that their addresses stay unique
  int inputs_ = 0;
};

// The net without parameter values.
void write_text(NetParameter& net, array::AtomicFile& file) {
  for (LayerParameter& layer : *net.mutable_layer()) layer.clear_blobs();
  std::string text;
  google::protobuf::TextFormat::PrintToString(net, &text);
  file.write(text);
}

}  // namespace

void export_caffe(const std::vector<Variable>& outputs,
                  const std::string& directory,
                  const ExportOptions& options) try {
  if (outputs.empty()) {
    raise<ValueError>("export_caffe: expected at least one output");
  }
  NetParameter net = Exporter(options).net_of(outputs);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    raise<IoError>("export_caffe: cannot create the folder ",
                   array::quote_path(directory), ": ", error.message());
  }
  std::optional<array::AtomicFile> weights;
  if (options.export_params) {
    weights.emplace(directory + "/chainer_model.caffemodel", "export_caffe");
    write_net(net, *weights);
  }
  array::AtomicFile text(directory + "/chainer_model.prototxt", "export_caffe");
  write_text(net, text);
  // Once both are written, so that they belong together.
  if (weights) weights->commit();
  text.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("export_caffe");
}

}  // namespace catena::caffe
