#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/load_limits.h"
#include "catena/array/shape.h"
#include "catena/caffe/message.h"

// A net as a .caffemodel describes it, whatever the generation of the format.
namespace catena::caffe {

// A parameter of a layer: what is known of it before it is read.
struct BlobDefinition {
  // As the file has it: of legacy blobs four extents with ones in front.
  Shape shape;
  int64_t count = 1;
  bool is_double = false;
  bool is_legacy = false;
  PackedNumbers numbers;
};

// When a net is used: TRAIN or TEST, and what the rules of layers refer to.
struct NetState {
  bool train = false;
  int64_t level = 0;
  std::vector<std::string> stages = {};
};

struct LayerDefinition {
  std::string name;
  std::string type;  // as in the newest generation: "InnerProduct"
  std::vector<std::string> bottoms;
  std::vector<std::string> tops;
  std::vector<BlobDefinition> blobs;
  // By which parameters are shared; empty texts where they are not.
  std::vector<std::string> param_names;
  Message fields = Message("LayerParameter");  // the parameters of the type

  // The parameters in "convolution_param" and the like.
  const Message& params(std::string_view field) const {
    return fields.message(field);
  }
  // "layer 'conv1' of type 'Convolution'", for messages.
  std::string label() const;
  // Whether its rules, include and exclude, let it be part of the net.
  // ValueError when it has both.
  bool is_in(const NetState& state) const;
  // Whether it reads data from somewhere: Data, ImageData, ...
  bool is_data() const;
};

struct InputDefinition {
  std::string name;
  std::optional<Shape> shape;  // where the file has one
};

// The dims of an input as its shape; nothing when they make none.
std::optional<Shape> input_shape(std::span<const int64_t> dims);

class NetDefinition {
 public:
  // Reads the definition from a file, or from bytes which need not stay; the
  // parameters come later. Shapes and numbers of values agree in what is
  // returned. IoError naming file, layer and field when it is no net, is
  // damaged or exceeds the limits.
  static NetDefinition open(const std::string& path,
                            const LoadLimits& limits = {});
  static NetDefinition from_bytes(std::span<const char> bytes,
                                  const LoadLimits& limits = {});

  // "caffe: 'x.caffemodel'": how messages begin.
  const std::string& where() const { return source_->where(); }
  int64_t file_size() const { return source_->size(); }

  std::string name;
  int generation = 2;  // 0, 1 or 2
  std::vector<InputDefinition> inputs;
  std::vector<LayerDefinition> layers;

  // The values in a new float32 array on the CPU. IoError.
  Array read(const BlobDefinition& blob, const Shape& shape) const;

 private:
  NetDefinition(std::shared_ptr<const array::ByteSource> source,
                std::shared_ptr<const std::string> bytes,
                const LoadLimits& limits);

  // Shared, so that definitions can be copied.
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<const array::ByteSource> source_;
};

// The blob of a message, checked. ValueError saying what is wrong with it.
BlobDefinition define_blob(const Message& blob, const LoadLimits& limits);
// Its numbers from the source that the message was read from.
Array read_blob(const array::ByteSource& source, const BlobDefinition& blob,
                const Shape& shape);

}  // namespace catena::caffe
