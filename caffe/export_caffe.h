#pragma once

#include <string>
#include <vector>

#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/call_recording.h"
#include "catena/links/call_link.h"

namespace catena::caffe {

struct ExportOptions {
  // Whether the weights are written too, or the .prototxt alone.
  bool export_params = true;
  std::string graph_name = "Graph";
};

// Writes what made the outputs as a net of Caffe: chainer_model.prototxt and
// chainer_model.caffemodel in a folder, which is made where it is missing.
// Variables without a creator become inputs "data", "data1", ... in the order
// in which they are met. Weights are float32.
//
// The outputs must have been computed in test mode, with a graph, while a
// CallRecording was there:
//
//   const functions::CallRecording recording;
//   const auto test = using_config(&Config::train, false);
//   caffe::export_caffe({model.forward(x)}, "folder");
//
// Exported are convolution_nd, deconvolution_nd, linear, max_pooling_2d,
// average_pooling_2d, local_response_normalization, fixed_batch_normalization,
// relu, leaky_relu, sigmoid, tanh, softmax, concat, reshape and sums of
// variables of one shape. NotImplementedError naming the function for any
// other, ValueError for options that Caffe does not have or without a
// recording, IoError when a file cannot be written; files appear complete or
// not at all.
void export_caffe(const std::vector<Variable>& outputs,
                  const std::string& directory,
                  const ExportOptions& options = {});

// The same for what a link makes of x; Chainer's exporters.caffe.export.
template <class Model>
requires CallableLink<Model, const Variable&>
void export_caffe(Model& model, const Variable& x, const std::string& directory,
                  const ExportOptions& options = {}) {
  const functions::CallRecording recording;
  const auto test = using_config(&Config::train, false);
  const auto graph = force_backprop_mode();
  export_caffe(std::vector<Variable>{call_link(model, x)}, directory, options);
}

}  // namespace catena::caffe
