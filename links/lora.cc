#include "catena/links/lora.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"

namespace catena::links {
namespace {

using Layers = std::vector<std::pair<std::string, LowRankLayer*>>;

// The layers of a model that can have updates, by their paths.
Layers layers_of(Link& model) {
  Layers layers;
  for (const auto& [path, link] : model.namedlinks()) {
    if (auto* layer = dynamic_cast<LowRankLayer*>(link)) {
      layers.emplace_back(path, layer);
    }
  }
  return layers;
}

Layers updated_layers(Link& model, std::string_view operation) {
  Layers layers = layers_of(model);
  std::erase_if(
      layers, [](const auto& layer) { return !layer.second->has_low_rank(); });
  if (layers.empty()) {
    raise<ValueError>(operation,
                      ": expected a model with updates of low rank, which "
                      "add_lora() gives it");
  }
  return layers;
}

bool has_name(const std::string& path, const std::string& name) {
  return !name.empty() && path.ends_with("/" + name);
}

}  // namespace

std::vector<std::string> add_lora(Link& model, const LoraOptions& options) {
  const Layers layers = layers_of(model);
  if (options.names.empty()) {
    raise<ValueError>("add_lora: expected names of layers, got none");
  }
  for (const std::string& name : options.names) {
    const auto is_it = [&](const auto& layer) {
      return has_name(layer.first, name);
    };
    if (std::ranges::none_of(layers, is_it)) {
      array::throw_unknown_name("add_lora", "a layer whose path ends with",
                                array::names_of(layers), name);
    }
  }
  Layers chosen;
  for (const auto& layer : layers) {
    const bool is_named = std::ranges::any_of(
        options.names,
        [&](const std::string& name) { return has_name(layer.first, name); });
    if (is_named) chosen.push_back(layer);
  }
  const LowRankOptions of_layer = {.alpha = options.alpha,
                                   .dropout = options.dropout,
                                   .initialA = options.initialA};
  std::vector<std::string> paths;
  try {
    for (const auto& [path, layer] : chosen) {
      try {
        layer->add_low_rank(options.rank, of_layer);
      } catch (Error& error) {
        error.prepend(str("add_lora: ", path, ": "));
        throw;
      }
      paths.push_back(path);
    }
  } catch (...) {
    for (size_t i = 0; i < paths.size(); ++i) {
      chosen[i].second->remove_low_rank();
    }
    throw;
  }
  model.freeze();
  for (const auto& [path, layer] : chosen) {
    layer->freeze_low_rank(false);
  }
  return paths;
}

void merge_lora(Link& model) {
  for (const auto& [path, layer] : updated_layers(model, "merge_lora")) {
    layer->merge_low_rank();
  }
}

void unmerge_lora(Link& model) {
  for (const auto& [path, layer] : updated_layers(model, "unmerge_lora")) {
    layer->unmerge_low_rank();
  }
}

void remove_lora(Link& model) {
  for (const auto& [path, layer] : updated_layers(model, "remove_lora")) {
    layer->remove_low_rank();
  }
}

LoraParameters::LoraParameters(Link& model) : model_(model) {
  updated_layers(model, "LoraParameters");
}

void LoraParameters::serialize(const Serializer& serializer) {
  for (const auto& [path, layer] : updated_layers(model_, "LoraParameters")) {
    const bool is_root = path == "/";
    layer->serialize_low_rank(
        is_root ? serializer : serializer[std::string_view(path).substr(1)]);
  }
}

}  // namespace catena::links
