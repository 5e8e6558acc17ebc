#pragma once

#include <string>
#include <vector>

#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/links/call_link.h"

namespace catena::caffe {

struct ExportOptions {
  NamedFieldsOnly keywords = {};
  // Whether to write the weights, too, or only the .prototxt.
  bool export_params = true;
  std::string graph_name = "Graph";
};

// Exports the computation of the outputs as a Caffe network:
// chainer_model.prototxt and chainer_model.caffemodel in a folder, which is
// created if needed. Variables without a creator become inputs "data", "data1",
// ... in the order in which they are found. Weights are float32.
//
// The outputs must have been computed in test mode, with a graph, and the
// weights still be held by their links:
//
//   const auto test = using_config(&Config::train, false);
//   caffe::export_caffe({model.forward(x)}, "folder");
//
// Layers are made of what the functions of the graph say they are
// (FunctionNode::description()), whatever their labels.
//
// Exported are convolution_nd, deconvolution_nd, linear, max_pooling_2d,
// average_pooling_2d, local_response_normalization, fixed_batch_normalization,
// relu, leaky_relu, sigmoid, tanh, softmax, concat, reshape and sums of
// variables of equal shape. Throws NotImplementedError naming the function for
// any other, ValueError for options that Caffe does not have or weights that
// nobody holds any more, IoError when a file cannot be written. Files are
// written atomically.
void export_caffe(const std::vector<Variable>& outputs,
                  const std::string& directory,
                  const ExportOptions& options = {});

// Exports the computation of a link from x, like Chainer's
// exporters.caffe.export.
template <class Model>
requires CallableLink<Model, const Variable&>
void export_caffe(Model& model, const Variable& x, const std::string& directory,
                  const ExportOptions& options = {}) {
  const auto test = using_config(&Config::train, false);
  const auto graph = force_backprop_mode();
  export_caffe(std::vector<Variable>{call_link(model, x)}, directory, options);
}

}  // namespace catena::caffe
