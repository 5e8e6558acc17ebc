// Prints the contents of a .caffemodel: layers, shapes, parameters, costs, and
// how it would be imported.
//
//   ./bazelw run //caffe:caffe_info -- net.caffemodel
//   ./bazelw run //caffe:caffe_info -- net.caffemodel data=1,3,227,227
//
// If all input shapes are known, from the file or the arguments, the net is run
// once on zeros in phase TEST to get the shapes of all blobs.

#include <charconv>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"
#include "catena/caffe/import_plan.h"

namespace catena::caffe {
namespace {

using Shapes = std::map<std::string, Shape>;

// "data=1,3,227,227".
std::pair<std::string, Shape> parse_input(std::string_view argument) {
  const size_t sign = argument.rfind('=');
  Shape shape;
  std::string_view rest =
      sign == argument.npos ? "" : argument.substr(sign + 1);
  while (!rest.empty() && shape.ndim() < kMaxDims) {
    int64_t extent = 0;
    const auto end =
        std::from_chars(rest.data(), rest.data() + rest.size(), extent).ptr;
    if (extent < 1) break;
    shape.push_back(extent);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  if (shape.empty() || !rest.empty()) {
    raise<ValueError>("caffe_info: expected input=extent,extent,..., got '",
                      argument, "'");
  }
  return {std::string(argument.substr(0, sign)), shape};
}

// The shapes of the blobs that can be computed from the inputs.
Shapes trace(CaffeFunction& model, const Shapes& inputs) {
  const auto no_graph = no_backprop_mode();
  CaffeFunction::Blobs blobs;
  for (const auto& [name, shape] : inputs) {
    blobs.emplace(name, Variable(array::zeros(shape, Dtype::kFloat32)));
  }
  const CaffeFunction::Forwards forwards = model.forwards();
  Shapes result = inputs;
  for (const PlannedLayer& layer : model.plan().layers) {
    if (layer.status != PlannedLayer::Status::kSupported || !layer.in_test) {
      continue;
    }
    Variables bottoms;
    for (const std::string& name : layer.bottoms) {
      const auto found = blobs.find(name);
      if (found != blobs.end()) bottoms.push_back(found->second);
    }
    if (bottoms.size() != layer.bottoms.size()) continue;
    const Variables tops = forwards.at(layer.name)(bottoms);
    for (size_t i = 0; i < layer.tops.size(); ++i) {
      blobs[layer.tops[i]] = tops[i];
      result[layer.tops[i]] = tops[i].shape();
    }
  }
  return result;
}

void print_shapes(const ImportPlan& plan, const Shapes& shapes) {
  const auto size_of = [&](const std::string& blob) {
    double size = 1;
    for (const int64_t extent : shapes.at(blob)) {
      size *= static_cast<double>(extent);
    }
    return size;
  };
  double total = 0;
  std::cout << "\n";
  for (const PlannedLayer& layer : plan.layers) {
    if (layer.status != PlannedLayer::Status::kSupported || !layer.in_test) {
      continue;
    }
    double flops = 0;
    std::string tops;
    for (const std::string& top : layer.tops) {
      if (!shapes.contains(top)) continue;
      tops += str(tops.empty() ? "" : ", ", top, " ", shapes.at(top));
      flops += layer.cost.per_output * size_of(top);
    }
    if (tops.empty()) continue;
    if (!layer.bottoms.empty() && shapes.contains(layer.bottoms[0])) {
      flops += layer.cost.per_input * size_of(layer.bottoms[0]);
    }
    std::cout << layer.name << ": " << tops << ", " << flops / 1e6
              << " MFLOP\n";
    total += flops;
  }
  std::cout << "all: " << total / 1e9 << " GFLOP\n";
}

void print_info(const std::string& path, int count, char** arguments) {
  const ImportPlan plan = import_plan(path);
  std::cout << to_string(plan);
  Shapes inputs;
  for (const InputDefinition& input : plan.inputs) {
    if (input.shape) inputs[input.name] = *input.shape;
  }
  for (int i = 0; i < count; ++i) {
    const auto [name, shape] = parse_input(arguments[i]);
    inputs[name] = shape;
  }
  if (inputs.empty()) return;
  CaffeFunction model(path, {.strict = false});
  const auto test = using_config(&Config::train, false);
  print_shapes(plan, trace(model, inputs));
}

}  // namespace
}  // namespace catena::caffe

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: caffe_info FILE.caffemodel [INPUT=EXTENT,...]...\n";
    return 2;
  }
  try {
    catena::caffe::print_info(argv[1], argc - 2, argv + 2);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
