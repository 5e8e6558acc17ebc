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
#include "catena/links/model/published_weights.h"

namespace catena::links {

// The source of a model's weights: a .npz file in Chainer's layout; "auto" for
// the model's published weights below pfnet/chainer/models in a data set folder
// (dataset_roots() of dataset/dataset_root.h), where a .caffemodel is converted
// to .npz on first use if the program links //caffe:convert_on_load; nullopt
// for random weights. (Chainer downloads VGG's and GoogLeNet's .caffemodel;
// here the error says where to get it and where to put it.)
using PretrainedModel = std::optional<std::string>;

struct ExtractOptions {
  NamedFieldsOnly keywords = {};
  // The layers to return; defaults to the model's feature layer.
  std::vector<std::string> layers = {};
  // The size that images are resized to. With nullopt they are not resized, and
  // must have the same size.
  std::optional<ImageSize> size = ImageSize{224, 224};
};

struct PredictOptions {
  NamedFieldsOnly keywords = {};
  // Whether to average over ten crops of each image (corners, center and their
  // mirror images) rather than use the center crop.
  bool oversample = true;
};

// Base of image classifiers: a chain of named layers. Any of them can be the
// output.
class ImageModel : public ChainBase {
 public:
  using Activations = std::map<std::string, Variable>;

  // The names of the layers, in order.
  std::vector<std::string> available_layers();

  // The outputs of the requested layers; computes no further than needed. x is
  // (N, 3, h, w), prepared images. Throws ValueError for an unknown layer.
  Activations forward(const Variable& x,
                      const std::vector<std::string>& layers = {"prob"});
  Activations operator()(const Variable& x,
                         const std::vector<std::string>& layers = {"prob"}) {
    return call_link(*this, x, layers);
  }

  // forward() for raw images (see prepare_image), which are prepared and moved
  // to the link's device. Modes are those of config().
  Activations extract(std::span<const Array> images,
                      const ExtractOptions& options = {});
  // The probabilities of the classes, (N, 1000), in test mode and without a
  // graph.
  Variable predict(std::span<const Array> images,
                   const PredictOptions& options = {});

  // Prepares an image for this model.
  virtual Array prepare(const Array& image,
                        const std::optional<ImageSize>& size) const = 0;

 protected:
  struct Layer {
    std::string name;
    std::function<Variable(const Variable&)> call;
    // The layer whose output this layer takes; defaults to the previous one.
    std::string input = {};
  };
  // The layers, each after the one whose output it takes.
  virtual std::vector<Layer> layers() = 0;
  // The layer whose output extract() returns by default.
  virtual std::string_view feature_layer() const = 0;

  // Loads the weights; "auto" are the published ones. Throws IoError when the
  // file is missing or does not match.
  void load(const PretrainedModel& pretrained,
            const PublishedWeights& published);

 private:
  Variable prepare_all(std::span<const Array> images,
                       const std::optional<ImageSize>& size) const;
};

// Zeros for weights that will be loaded anyway, since drawing random ones takes
// time.
Initializer initializer_unless(const PretrainedModel& pretrained,
                               const Initializer& initializer);

}  // namespace catena::links
