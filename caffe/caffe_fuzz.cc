// Fuzz target: reading any bytes as a .caffemodel returns a model or throws an
// IoError, and running the model returns blobs or throws an Error.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using catena::Variable;
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  try {
    auto model = catena::caffe::CaffeFunction::from_bytes(
        bytes, {.strict = false, .max_elements = 1 << 16});
    const auto no_graph = catena::no_backprop_mode();
    catena::caffe::CaffeFunction::Blobs inputs;
    for (const auto& input : model.plan().inputs) {
      catena::Shape shape = {1, 3, 8, 8};
      if (input.shape && catena::checked_size(*input.shape, 4, "fuzz") < 4096) {
        shape = *input.shape;
      }
      inputs.emplace(input.name, Variable(catena::array::ones(
                                     shape, catena::Dtype::kFloat32)));
    }
    std::vector<std::string> outputs;
    for (const auto& layer : model.plan().layers) {
      if (!layer.tops.empty()) outputs = {layer.tops.back()};
    }
    model(inputs, outputs, {.train = false});
  } catch (const catena::Error&) {
  }
  return 0;
}
