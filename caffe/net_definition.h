#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/shape.h"
#include "catena/array/io/load_limits.h"

// The definition of a net in a .caffemodel of any version of the format.
namespace catena::caffe {

class BlobProto;
class BlobShape;
class LayerParameter;

// A parameter of a layer.
struct BlobDefinition {
  // As in the file: legacy blobs have four extents, with leading ones.
  Shape shape;
  int64_t count = 1;
  // Contains the values, float or double.
  std::shared_ptr<BlobProto> message;

  // The values in a shape with the same number of elements, float32 on the CPU.
  // The array takes over the memory of the message, so call this once.
  Array values(const Shape& shape) const;
};

// The state of a net: TRAIN or TEST, and level and stages for layer rules.
struct NetState {
  bool train = false;
  int64_t level = 0;
  std::vector<std::string> stages = {};
};

// A layer as it is in a file.
struct LayerDefinition {
  std::string name;
  std::string type;  // as in the newest version: "InnerProduct"
  std::vector<std::string> bottoms;
  std::vector<std::string> tops;
  std::vector<BlobDefinition> blobs;
  // Names of shared parameters; empty for parameters that are not shared.
  std::vector<std::string> param_names;
  // The full message, converted to the newest version.
  std::shared_ptr<const LayerParameter> message;

  // "layer 'conv1' of type 'Convolution'", for error messages.
  std::string label() const;
  // Whether its include or exclude rules select it. Throws ValueError when it
  // has both.
  bool is_in(const NetState& state) const;
  // Whether it is a data layer: Data, ImageData, ...
  bool is_data() const;
};

// An input of a net, with its shape if the file has it.
struct InputDefinition {
  std::string name;
  std::optional<Shape> shape;  // if given in the file
};

// The shape of an input; nullopt when the dims are invalid.
std::optional<Shape> input_shape(const BlobShape& message);

// A net as it is in a file: its inputs and layers.
struct NetDefinition {
  // Reads a file, or bytes, which are not referenced afterwards. In the result,
  // shapes match the numbers of values. Throws IoError naming file, layer and
  // field when it is not a net, is damaged or exceeds the limits.
  static NetDefinition open(const std::string& path,
                            const LoadLimits& limits = {});
  static NetDefinition from_bytes(std::span<const char> bytes,
                                  const LoadLimits& limits = {});

  // "caffe: 'x.caffemodel'": the prefix of error messages.
  std::string where;
  std::string name;
  int generation = 2;  // 0, 1 or 2
  std::vector<InputDefinition> inputs;
  std::vector<LayerDefinition> layers;
};

// Checks and returns the blob of a message. Throws ValueError with the problem.
BlobDefinition define_blob(std::shared_ptr<BlobProto> message,
                           const LoadLimits& limits);

}  // namespace catena::caffe
