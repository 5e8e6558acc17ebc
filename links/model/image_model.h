#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/model/image_preparation.h"

namespace catena::links {

// Where a model gets its weights: a .npz file of Chainer's layout; "auto" for
// the model's own file below pfnet/chainer/models in the folder of data sets
// (dataset/dataset_root.h); nothing for random ones.
using PretrainedModel = std::optional<std::string>;

struct ExtractOptions {
  // Which layers to return; defaults to the one that suits as a feature.
  std::vector<std::string> layers = {};
  // What images are resized to; they stay as they are, and must be of one size,
  // without it.
  std::optional<ImageSize> size = ImageSize{224, 224};
};

struct PredictOptions {
  // Whether to average over ten views of each image: corners, center and their
  // mirror images. Else it is the center.
  bool oversample = true;
};

// What classifiers of images have in common: named layers, and any of
// them can be the output.
class ImageModel : public Chain {
 public:
  using Activations = std::map<std::string, Variable>;

  // The names of the layers in their order.
  std::vector<std::string> available_layers();

  // The outputs of the layers asked for; no more is computed. x is
  // (N, 3, h, w), of prepared images. ValueError for a name that is none.
  Activations forward(const Variable& x,
                      const std::vector<std::string>& layers = {"prob"});
  Activations operator()(const Variable& x,
                         const std::vector<std::string>& layers = {"prob"}) {
    return call_link(*this, x, layers);
  }

  // The same of images as photographs (prepare_image); they are prepared and
  // moved to the link's device. Modes are those of config().
  Activations extract(std::span<const Array> images,
                      const ExtractOptions& options = {});
  // The probabilities of the classes, (N, 1000), in test mode and without a
  // graph.
  Variable predict(std::span<const Array> images,
                   const PredictOptions& options = {});

  // The image as the model takes it.
  virtual Array prepare(const Array& image,
                        const std::optional<ImageSize>& size) const = 0;

 protected:
  struct Layer {
    std::string name;
    std::function<Variable(const Variable&)> call;
    // The layer whose output it takes; defaults to the one before.
    std::string input = {};
  };
  virtual std::vector<Layer> layers() = 0;
  virtual std::string_view feature_layer() const = 0;

  // Loads the weights; `file` is the model's own. IoError when there is no such
  // file or it does not fit.
  void load(const PretrainedModel& pretrained, std::string_view file);

 private:
  Variable prepare_all(std::span<const Array> images,
                       const std::optional<ImageSize>& size) const;
};

// Weights that will be loaded start as zeros, since drawing them takes time.
Initializer initializer_unless(const PretrainedModel& pretrained,
                               const Initializer& initializer);

}  // namespace catena::links
