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
  // Whether to run the net's phase TRAIN or TEST, with config().train set
  // accordingly; defaults to config().train.
  std::optional<bool> train = std::nullopt;
  // Layers that are left out. Their tops are missing, unless they work in
  // place.
  std::vector<std::string> disable = {};
};

// A net of Caffe from its .caffemodel, as a chain of links and functions:
//
//   caffe::CaffeFunction model("bvlc_alexnet.caffemodel");
//   Variable y = model({{"data", x}}, {"fc8"}, {.train = false})[0];
//
// Layers with parameters are children named like them, so that parameters are
// "conv1/W", "conv1/b", ...: Convolution2D and the like for Convolution, Linear
// for InnerProduct, BatchNormalization without gamma and beta for BatchNorm,
// Scale for Scale. Values are those of Caffe's own definitions, see
// docs/caffe.md for what is supported and how exact it is. Labels are floats,
// as in Caffe.
//
// Jia et al.: Caffe: Convolutional Architecture for Fast Feature Embedding,
// 2014.
class CaffeFunction : public Chain {
 public:
  using Blobs = std::map<std::string, Variable>;

  // Reads all generations of the format; parameters are made on the current
  // device. The file must not become shorter in the meantime. IoError naming
  // file, layer and field when the file is damaged, exceeds the limits, or,
  // unless told otherwise, has a layer that cannot be imported.
  explicit CaffeFunction(const std::string& path,
                         const CaffeOptions& options = {});
  static CaffeFunction from_bytes(std::span<const char> bytes,
                                  const CaffeOptions& options = {});

  // The outputs, computed by the layers that it takes. Any blob may be an
  // input, also one that layers make: then they are not needed, if their own
  // inputs are not given. A blob that layers change in place is wanted as the
  // last of them leaves it. The net can be differentiated with respect to
  // inputs and parameters.
  //
  // ValueError for a blob that there is none of or that cannot be computed from
  // the inputs, NotImplementedError when it takes a layer that was refused.
  // What a layer throws is thrown with file and layer in front.
  std::vector<Variable> forward(const Blobs& inputs,
                                const std::vector<std::string>& outputs,
                                const CaffeCallOptions& options = {});
  std::vector<Variable> operator()(const Blobs& inputs,
                                   const std::vector<std::string>& outputs,
                                   const CaffeCallOptions& options = {}) {
    return call_link(*this, inputs, outputs, options);
  }

  // What became of each layer.
  const ImportPlan& plan() const;

  // Chainer's access to single layers: their functions by name, from bottoms to
  // tops, for as long as this model is there.
  using Forwards =
      std::map<std::string, std::function<Variables(const Variables& bottoms)>>;
  Forwards forwards();
  // The layers with parameters, by their names: this chain, which was a
  // FunctionSet in Chainer 1.
  Chain& fs() { return *this; }

 private:
  CaffeFunction(const NetDefinition& net, const CaffeOptions& options);

  std::vector<int> blob_ids(const std::vector<std::string>& names) const;
  Variables run(const Step& step, const Variables& bottoms,
                const std::vector<Link*>& links) const;
  // A BatchNorm together with the Scale behind it.
  Variables run_fused(const Step& step, const Variables& bottoms,
                      const std::vector<Link*>& links) const;
  bool may_fuse(int index, const std::vector<int>& last_use,
                const std::vector<Link*>& links) const;
  // Names file and layer in what the computation throws.
  template <class Compute>
  Variables guarded(const Step& step, const Compute& compute) const;

  std::shared_ptr<const Program> program_;  // copies share it
};

}  // namespace catena::caffe
