#include "catena/caffe/net_definition.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "catena/array/error.h"
#include "catena/array/io/quote.h"
#include "catena/caffe/decode.h"
#include "catena/caffe/upgrade.h"

static_assert(std::endian::native == std::endian::little,
              "numbers are read as they lie in memory");

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
      raise<ValueError>("shape ", shown, " does not fit ", count, " values");
    }
    product *= dim;
  }
  if (product != count) {
    raise<ValueError>("shape ", Shape(dims), " has ", product,
                      " elements, but ", count, " values are there");
  }
}

std::vector<int64_t> extents_of(const Message& blob, bool& is_legacy) {
  is_legacy = blob.has("num") || blob.has("channels") || blob.has("height") ||
              blob.has("width");
  if (is_legacy) {
    std::vector<int64_t> dims;
    for (const char* name : {"num", "channels", "height", "width"}) {
      dims.push_back(blob.integer(name));
    }
    return dims;
  }
  return blob.message("shape").integers("dim");
}

// One read after the other into memory, converted there.
class NumberReader {
 public:
  NumberReader(const array::ByteSource& source, const BlobDefinition& blob)
      : source_(source), blob_(blob) {}

  void read_into(float* to) const {
    for (const PackedNumbers::Run& run : blob_.numbers.runs) {
      if (blob_.is_double) {
        read_doubles(run, to);
      } else {
        read_bytes(run, 0, run.count, reinterpret_cast<char*>(to), 4);
      }
      to += run.count;
    }
  }

 private:
  void read_bytes(const PackedNumbers::Run& run, int64_t begin, int64_t count,
                  char* to, int64_t item) const {
    const auto bytes = static_cast<size_t>(count * item);
    const int64_t offset = run.offset + begin * item;
    if (run.in_file) {
      source_.read(offset, std::span(to, bytes));
    } else {
      std::memcpy(to, blob_.numbers.loose.data() + offset, bytes);
    }
  }

  void read_doubles(const PackedNumbers::Run& run, float* to) const {
    double buffer[1024];
    for (int64_t begin = 0; begin < run.count; begin += std::size(buffer)) {
      const int64_t count =
          std::min<int64_t>(std::size(buffer), run.count - begin);
      read_bytes(run, begin, count, reinterpret_cast<char*>(buffer), 8);
      std::transform(buffer, buffer + count, to + begin,
                     [](double value) { return static_cast<float>(value); });
    }
  }

  const array::ByteSource& source_;
  const BlobDefinition& blob_;
};

bool holds(const Message& rule, const NetState& state) {
  if (rule.has("phase") && (rule.choice("phase") == "TRAIN") != state.train) {
    return false;
  }
  if (rule.has("min_level") && state.level < rule.integer("min_level")) {
    return false;
  }
  if (rule.has("max_level") && state.level > rule.integer("max_level")) {
    return false;
  }
  const auto is_set = [&](const std::string& stage) {
    return std::find(state.stages.begin(), state.stages.end(), stage) !=
           state.stages.end();
  };
  const auto stages = rule.texts("stage");
  const auto excluded = rule.texts("not_stage");
  return std::all_of(stages.begin(), stages.end(), is_set) &&
         std::none_of(excluded.begin(), excluded.end(), is_set);
}

bool any_holds(std::span<const Message> rules, const NetState& state) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Message& rule) { return holds(rule, state); });
}

std::vector<InputDefinition> inputs_of(const Message& net) {
  std::vector<InputDefinition> inputs;
  const std::vector<int64_t> dims = net.integers("input_dim");
  const std::span<const Message> shapes = net.messages("input_shape");
  for (const std::string& name : net.texts("input")) {
    const size_t i = inputs.size();
    InputDefinition input{name, std::nullopt};
    if (i < shapes.size()) {
      input.shape = input_shape(shapes[i].integers("dim"));
    } else if (4 * (i + 1) <= dims.size()) {
      input.shape = input_shape(std::span(dims).subspan(4 * i, 4));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

LayerDefinition define_layer(Message&& message, const LoadLimits& limits) {
  LayerDefinition layer;
  layer.name = message.text("name");
  layer.type = message.text("type");
  layer.bottoms = message.texts("bottom");
  layer.tops = message.texts("top");
  for (const Message& param : message.messages("param")) {
    layer.param_names.push_back(param.text("name"));
  }
  auto& blobs = std::get<std::vector<Message>>(
      message.values_of(*message.type().find("blobs")));
  for (Message& blob : blobs) {
    try {
      layer.blobs.push_back(define_blob(blob, limits));
    } catch (const ValueError& error) {
      raise<ValueError>(layer.label(), ": blobs[", layer.blobs.size(),
                        "]: ", error.what());
    }
  }
  blobs.clear();
  layer.fields = std::move(message);
  return layer;
}

// Says what a file that is no net may be.
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
                   ": this looks like a net as text (.prototxt); expected a "
                   "binary .caffemodel, which has the weights too");
  }
}

}  // namespace

std::optional<Shape> input_shape(std::span<const int64_t> dims) {
  if (dims.empty() || dims.size() > kMaxDims) return std::nullopt;
  for (const int64_t dim : dims) {
    if (dim <= 0 || dim > INT32_MAX) return std::nullopt;
  }
  return Shape(dims);
}

BlobDefinition define_blob(const Message& blob, const LoadLimits& limits) {
  BlobDefinition result;
  const std::vector<int64_t> dims = extents_of(blob, result.is_legacy);
  result.is_double = blob.has("double_data");
  result.numbers = blob.packed(result.is_double ? "double_data" : "data");
  result.count = result.numbers.count;
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
  return result;
}

Array read_blob(const array::ByteSource& source, const BlobDefinition& blob,
                const Shape& shape) {
  const Array result = array::empty(shape, Dtype::kFloat32, native_device());
  if (result.size() != blob.count) {
    raise<IoError>(source.where(), ": expected ", result.size(),
                   " values, got ", blob.count);
  }
  NumberReader(source, blob).read_into(result.data<float>());
  return result;
}

std::string LayerDefinition::label() const {
  return str("layer ", quote(name),
             type.empty() ? " without a type" : str(" of type ", quote(type)));
}

bool LayerDefinition::is_in(const NetState& state) const {
  const auto include = fields.messages("include");
  const auto exclude = fields.messages("exclude");
  if (!include.empty() && !exclude.empty()) {
    raise<ValueError>(label(), ": has both include and exclude rules");
  }
  if (!include.empty()) return any_holds(include, state);
  return !any_holds(exclude, state);
}

bool LayerDefinition::is_data() const {
  return std::find(std::begin(kDataTypes), std::end(kDataTypes), type) !=
         std::end(kDataTypes);
}

NetDefinition::NetDefinition(std::shared_ptr<const array::ByteSource> source,
                             std::shared_ptr<const std::string> bytes,
                             const LoadLimits& limits)
    : bytes_(std::move(bytes)), source_(std::move(source)) {
  check_magic(*source_);
  Message net = decode(*source_, message_type("NetParameter"));
  try {
    name = net.text("name");
    inputs = inputs_of(net);
    std::vector<Message> messages = upgraded_layers(std::move(net), generation);
    if (messages.empty()) raise<ValueError>("the net has no layers");
    for (Message& message : messages) {
      layers.push_back(define_layer(std::move(message), limits));
    }
  } catch (const ValueError& error) {
    raise<IoError>(where(), ": ", error.what());
  }
}

NetDefinition NetDefinition::open(const std::string& path,
                                  const LoadLimits& limits) {
  return NetDefinition(std::make_shared<const array::ByteSource>(
                           array::ByteSource::open(path, "caffe", limits)),
                       nullptr, limits);
}

NetDefinition NetDefinition::from_bytes(std::span<const char> bytes,
                                        const LoadLimits& limits) {
  auto text = std::make_shared<const std::string>(bytes.data(), bytes.size());
  auto source = std::make_shared<const array::ByteSource>(
      array::ByteSource::of_memory(*text, "caffe"));
  return NetDefinition(std::move(source), std::move(text), limits);
}

Array NetDefinition::read(const BlobDefinition& blob,
                          const Shape& shape) const {
  return read_blob(*source_, blob, shape);
}

}  // namespace catena::caffe
