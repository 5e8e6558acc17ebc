#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/caffe/import_plan.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"

namespace catena::caffe {

struct Program;
struct Step;

struct CaffeCallOptions {
  NamedFieldsOnly keywords = {};
  // Whether to run phase TRAIN or TEST, with config().train set accordingly;
  // defaults to config().train.
  std::optional<bool> train = std::nullopt;
  // Layers to skip. Their tops are missing unless they work in place.
  std::vector<std::string> disable = {};
};

// A Caffe network loaded from a .caffemodel, as a chain of links and functions:
//
//   caffe::CaffeFunction model("bvlc_alexnet.caffemodel");
//   Variable y = model({{"data", x}}, {"fc8"}, {.train = false})[0];
//
// Layers with parameters are children under their Caffe names, so that
// parameters are "conv1/W", "conv1/b", ...: ConvolutionND for Convolution,
// Linear for InnerProduct, BatchNormalization without gamma and beta for
// BatchNorm, Scale for Scale. Layers follow Caffe's definitions; docs/caffe.md
// lists supported layers and their accuracy. Labels are floats, as in Caffe.
//
// Jia et al.: Caffe: Convolutional Architecture for Fast Feature Embedding,
// 2014.
class CaffeFunction : public ChainBase {
 public:
  using Blobs = std::map<std::string, Variable>;

  // Reads all versions of the format; parameters are created on the current
  // device. The file must not be truncated while it is read. Throws IoError
  // naming file, layer and field when the file is damaged, exceeds the limits,
  // or, with options.strict, has a layer that cannot be imported.
  explicit CaffeFunction(const std::string& path,
                         const CaffeOptions& options = {});
  static CaffeFunction from_bytes(std::span<const char> bytes,
                                  const CaffeOptions& options = {});

  // Computes the outputs, running only the layers that they need. Any blob may
  // be an input, including the top of a layer, which is then not run. For a
  // blob that layers change in place, the output is its final value.
  // Differentiable with respect to inputs and parameters.
  //
  // Throws ValueError for a blob that does not exist or cannot be computed from
  // the inputs, NotImplementedError when an output needs a layer that was
  // rejected. Exceptions of a layer are rethrown with file and layer as a
  // prefix.
  std::vector<Variable> forward(const Blobs& inputs,
                                const std::vector<std::string>& outputs,
                                const CaffeCallOptions& options = {});
  std::vector<Variable> operator()(const Blobs& inputs,
                                   const std::vector<std::string>& outputs,
                                   const CaffeCallOptions& options = {}) {
    return call_link(*this, inputs, outputs, options);
  }

  // How each layer was imported.
  const ImportPlan& plan() const;

  // Chainer's access to single layers: functions from bottoms to tops, by layer
  // name, valid while this model exists.
  using Forwards =
      std::map<std::string, std::function<Variables(const Variables& bottoms)>>;
  Forwards forwards();
  // The layers with parameters, by name: this chain. (A FunctionSet in Chainer
  // 1.)
  ChainBase& fs() { return *this; }

 private:
  CaffeFunction(const NetDefinition& net, const CaffeOptions& options);

  std::vector<int> blob_ids(const std::vector<std::string>& names) const;
  Variables run(const Step& step, const Variables& bottoms,
                const std::vector<Link*>& links) const;
  // A BatchNorm fused with the following Scale.
  Variables run_fused(const Step& step, const Variables& bottoms,
                      const std::vector<Link*>& links) const;
  bool may_fuse(int index, const std::vector<int>& last_use,
                const std::vector<Link*>& links) const;
  // Adds file and layer to exceptions of the computation.
  template <class Compute>
  Variables guarded(const Step& step, const Compute& compute) const;

  std::shared_ptr<const Program> program_;  // shared by copies
};

}  // namespace catena::caffe
