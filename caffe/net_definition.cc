#include "catena/caffe/net_definition.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/caffe/net_messages.h"
#include "catena/caffe/upgrade.h"

namespace catena::caffe {
namespace {

using array::quote;

constexpr std::string_view kDataTypes[] = {
    "Data",      "ImageData",  "HDF5Data",      "MemoryData",
    "DummyData", "WindowData", "AnnotatedData", "VideoData"};

// ValueError unless all extents are positive and their product is `count`.
void check_extents(std::span<const int64_t> dims, int64_t count) {
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (dim <= 0 || dim > count / product) {
      Shape shown;
      for (const int64_t d : dims.first(std::min<size_t>(dims.size(), 8))) {
        shown.push_back(d);
      }
      raise<ValueError>("shape ", shown, " does not match ", count, " values");
    }
    product *= dim;
  }
  if (product != count) {
    raise<ValueError>("shape ", Shape(dims), " has ", product,
                      " elements, but there are ", count, " values");
  }
}

template <class Dims>
std::span<const int64_t> span_of(const Dims& dims) {
  return {dims.data(), static_cast<size_t>(dims.size())};
}

bool is_legacy(const BlobProto& blob) {
  return blob.has_num() || blob.has_channels() || blob.has_height() ||
         blob.has_width();
}

bool holds(const NetStateRule& rule, const NetState& state) {
  if (rule.has_phase() && (rule.phase() == TRAIN) != state.train) return false;
  if (rule.has_min_level() && state.level < rule.min_level()) return false;
  if (rule.has_max_level() && state.level > rule.max_level()) return false;
  const auto is_set = [&](const std::string& stage) {
    return std::find(state.stages.begin(), state.stages.end(), stage) !=
           state.stages.end();
  };
  return std::all_of(rule.stage().begin(), rule.stage().end(), is_set) &&
         std::none_of(rule.not_stage().begin(), rule.not_stage().end(), is_set);
}

template <class Rules>
bool any_holds(const Rules& rules, const NetState& state) {
  return std::any_of(rules.begin(), rules.end(), [&](const NetStateRule& rule) {
    return holds(rule, state);
  });
}

std::optional<Shape> shape_if_possible(std::span<const int64_t> dims) {
  if (dims.empty() || dims.size() > kMaxDims) return std::nullopt;
  for (const int64_t dim : dims) {
    if (dim <= 0 || dim > INT32_MAX) return std::nullopt;
  }
  return Shape(dims);
}

std::vector<InputDefinition> inputs_of(const NetParameter& net) {
  const std::vector<int64_t> dims(net.input_dim().begin(),
                                  net.input_dim().end());
  std::vector<InputDefinition> inputs;
  for (int i = 0; i < net.input_size(); ++i) {
    InputDefinition input{net.input(i), std::nullopt};
    if (i < net.input_shape_size()) {
      input.shape = input_shape(net.input_shape(i));
    } else if (4 * (static_cast<size_t>(i) + 1) <= dims.size()) {
      input.shape = shape_if_possible(std::span(dims).subspan(4 * i, 4));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

LayerDefinition define_layer(const std::shared_ptr<LayerParameter>& message,
                             const LoadLimits& limits) {
  LayerDefinition layer;
  layer.name = message->name();
  layer.type = message->type();
  layer.bottoms.assign(message->bottom().begin(), message->bottom().end());
  layer.tops.assign(message->top().begin(), message->top().end());
  layer.message = message;
  for (const ParamSpec& param : message->param()) {
    layer.param_names.push_back(param.name());
  }
  for (int i = 0; i < message->blobs_size(); ++i) {
    try {
      layer.blobs.push_back(
          define_blob({message, message->mutable_blobs(i)}, limits));
    } catch (const ValueError& error) {
      raise<ValueError>(layer.label(), ": blobs[", i, "]: ", error.what());
    }
  }
  return layer;
}

// Error messages for files of other formats.
void check_magic(const array::ByteSource& source) {
  char head[16] = {};
  const auto size = std::min<size_t>(sizeof head, source.size());
  source.read(0, std::span(head, size));
  const std::string_view text(head, size);
  if (text.empty()) raise<IoError>(source.where(), ": the file is empty");
  if (text.starts_with("\x89HDF")) {
    raise<IoError>(source.where(),
                   ": this is an HDF5 file; expected a binary .caffemodel "
                   "(snapshot_format: BINARYPROTO)");
  }
  if (text.starts_with("name:") || text.starts_with("layer") ||
      text.starts_with("input:") || text.starts_with("#")) {
    raise<IoError>(source.where(),
                   ": this looks like a text net (.prototxt); expected a "
                   "binary .caffemodel, which includes weights");
  }
}

NetDefinition define_net(const array::ByteSource& source,
                         const LoadLimits& limits) {
  check_magic(source);
  NetMessages messages = read_net(source, limits);
  NetDefinition net;
  net.where = source.where();
  net.name = messages.net->name();
  net.inputs = inputs_of(*messages.net);
  try {
    for (const auto& layer : upgraded_layers(messages, net.generation)) {
      net.layers.push_back(define_layer(layer, limits));
    }
    if (net.layers.empty()) raise<ValueError>("the net has no layers");
  } catch (const ValueError& error) {
    raise<IoError>(net.where, ": ", error.what());
  }
  return net;
}

}  // namespace

std::optional<Shape> input_shape(const BlobShape& message) {
  return shape_if_possible(span_of(message.dim()));
}

BlobDefinition define_blob(std::shared_ptr<BlobProto> message,
                           const LoadLimits& limits) {
  const int64_t legacy[] = {message->num(), message->channels(),
                            message->height(), message->width()};
  const std::span<const int64_t> dims =
      is_legacy(*message) ? legacy : span_of(message->shape().dim());
  BlobDefinition result;
  result.count = message->double_data_size() > 0 ? message->double_data_size()
                                                 : message->data_size();
  if (dims.size() > static_cast<size_t>(std::min(limits.dims, kMaxDims))) {
    raise<ValueError>("expected at most ", std::min(limits.dims, kMaxDims),
                      " axes, got ", dims.size());
  }
  check_extents(dims, result.count);
  if (result.count > limits.array_bytes / 4) {
    raise<ValueError>(result.count, " values exceed the limit of ",
                      limits.array_bytes, " bytes for an array");
  }
  result.shape = Shape(dims);
  result.message = std::move(message);
  return result;
}

Array BlobDefinition::values(const Shape& shape) const {
  if (checked_size(shape, 4, "caffe") != count) {
    raise<ValueError>("expected ", count, " values, got shape ", shape);
  }
  if (message->double_data_size() == 0) {
    return array::from_data(message->mutable_data()->mutable_data(), shape,
                            Dtype::kFloat32, {.owner = message});
  }
  const Array result = array::empty(shape, Dtype::kFloat32, native_device());
  std::transform(message->double_data().begin(), message->double_data().end(),
                 result.data<float>(),
                 [](double value) { return static_cast<float>(value); });
  return result;
}

std::string LayerDefinition::label() const {
  return str("layer ", quote(name),
             type.empty() ? " without a type" : str(" of type ", quote(type)));
}

bool LayerDefinition::is_in(const NetState& state) const {
  const bool has_include = message->include_size() > 0;
  if (has_include && message->exclude_size() > 0) {
    raise<ValueError>(label(), ": has both include and exclude rules");
  }
  return has_include ? any_holds(message->include(), state)
                     : !any_holds(message->exclude(), state);
}

bool LayerDefinition::is_data() const {
  return std::find(std::begin(kDataTypes), std::end(kDataTypes), type) !=
         std::end(kDataTypes);
}

NetDefinition NetDefinition::open(const std::string& path,
                                  const LoadLimits& limits) {
  return define_net(array::ByteSource::open(path, "caffe", limits), limits);
}

NetDefinition NetDefinition::from_bytes(std::span<const char> bytes,
                                        const LoadLimits& limits) {
  return define_net(array::ByteSource::of_memory(bytes, "caffe"), limits);
}

}  // namespace catena::caffe
