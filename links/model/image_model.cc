#include "catena/links/model/image_model.h"

#include <algorithm>
#include <set>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/math/average.h"
#include "catena/links/initializers/initializers.h"
#include "catena/serializers/npz.h"

namespace catena::links {

std::vector<std::string> ImageModel::available_layers() {
  std::vector<std::string> names;
  for (const Layer& layer : layers()) names.push_back(layer.name);
  return names;
}

ImageModel::Activations ImageModel::forward(
    const Variable& x, const std::vector<std::string>& wanted) {
  const std::vector<Layer> all = layers();
  std::set<std::string> missing(wanted.begin(), wanted.end());
  for (const std::string& name : missing) {
    if (std::none_of(all.begin(), all.end(),
                     [&](const Layer& layer) { return layer.name == name; })) {
      raise<ValueError>("ImageModel: expected the name of a layer, got \"",
                        name, "\"; see available_layers()");
    }
  }
  Activations activations;
  Activations inputs;  // of later layers
  Variable h = x;
  for (const Layer& layer : all) {
    if (missing.empty()) break;
    if (!layer.input.empty()) {
      if (!missing.contains(layer.name)) continue;
      h = inputs.at(layer.input);
    }
    h = layer.call(h);
    if (missing.erase(layer.name) > 0) activations[layer.name] = h;
    if (std::any_of(all.begin(), all.end(), [&](const Layer& later) {
          return later.input == layer.name && missing.contains(later.name);
        })) {
      inputs[layer.name] = h;
    }
  }
  return activations;
}

Variable ImageModel::prepare_all(std::span<const Array> images,
                                 const std::optional<ImageSize>& size) const {
  if (images.empty()) {
    raise<ValueError>("ImageModel: expected at least one image");
  }
  std::vector<Array> prepared;
  for (const Array& image : images) prepared.push_back(prepare(image, size));
  return as_variable(array::stack(prepared).to_device(device()));
}

ImageModel::Activations ImageModel::extract(std::span<const Array> images,
                                            const ExtractOptions& options) {
  std::vector<std::string> wanted = options.layers;
  if (wanted.empty()) wanted.emplace_back(feature_layer());
  return (*this)(prepare_all(images, options.size), wanted);
}

Variable ImageModel::predict(std::span<const Array> images,
                             const PredictOptions& options) {
  constexpr ImageSize kWhole{256, 256};
  constexpr ImageSize kView{224, 224};
  const auto no_graph = no_backprop_mode();
  const auto test = using_config(&Config::train, false);
  const Array x = prepare_all(images, kWhole).data();
  if (!options.oversample) {
    const Slice center(16, 240);
    const Array views = x[{Slice(), Slice(), center, center}];
    return (*this)(as_variable(views)).at("prob");
  }
  const Variable y =
      (*this)(as_variable(oversample_images(x, kView))).at("prob");
  const Shape by_view{static_cast<int64_t>(images.size()), 10, y.shape()[1]};
  return functions::average(functions::reshape(y, by_view), {.axis = 1});
}

void ImageModel::load(const PretrainedModel& pretrained,
                      const PublishedWeights& published) {
  if (!pretrained) return;
  serializers::load_npz(
      *pretrained == "auto" ? published_weights_file(published) : *pretrained,
      *this);
}

Initializer initializer_unless(const PretrainedModel& pretrained,
                               const Initializer& initializer) {
  return pretrained ? Initializer(initializers::Zero()) : initializer;
}

}  // namespace catena::links
