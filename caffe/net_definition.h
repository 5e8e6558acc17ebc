#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"
#include "catena/array/shape.h"

// A net as a .caffemodel describes it, whatever the generation of the format.
namespace catena::caffe {

class BlobProto;
class BlobShape;
class LayerParameter;

// A parameter of a layer.
struct BlobDefinition {
  // As the file has it: of legacy blobs four extents with ones in front.
  Shape shape;
  int64_t count = 1;
  // With the values, float or double.
  std::shared_ptr<BlobProto> message;

  // The values under a shape of as many elements, float32 on the CPU. The array
  // takes the memory of the message over, so there should be one alone.
  Array values(const Shape& shape) const;
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
  // All that the file says, as the newest generation says it.
  std::shared_ptr<const LayerParameter> message;

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

// The shape of an input; nothing when the dims make none.
std::optional<Shape> input_shape(const BlobShape& message);

struct NetDefinition {
  // Read from a file, or from bytes, which need not stay. Shapes and numbers of
  // values agree in what is returned. IoError naming file, layer and field when
  // it is no net, is damaged or exceeds the limits.
  static NetDefinition open(const std::string& path,
                            const LoadLimits& limits = {});
  static NetDefinition from_bytes(std::span<const char> bytes,
                                  const LoadLimits& limits = {});

  // "caffe: 'x.caffemodel'": how messages begin.
  std::string where;
  std::string name;
  int generation = 2;  // 0, 1 or 2
  std::vector<InputDefinition> inputs;
  std::vector<LayerDefinition> layers;
};

// The blob of a message, checked. ValueError saying what is wrong with it.
BlobDefinition define_blob(std::shared_ptr<BlobProto> message,
                           const LoadLimits& limits);

}  // namespace catena::caffe
