#include "catena/links/sequential.h"

#include "catena/array/error.h"

namespace catena {

Variable Sequential::forward(const Variable& x) {
  Variable h = x;
  for (const Layer& layer : layers_) {
    h = layer.link ? (*layer.link)(h) : layer.function(h);
  }
  return h;
}

Sequential& Sequential::add(Layer layer) {
  if (layer.link) set_name(**layer.link, std::to_string(layers_.size()));
  layers_.push_back(std::move(layer));
  return *this;
}

const AnyLink& Sequential::link_at(int64_t index) const {
  if (index < -size() || index >= size()) {
    raise<IndexError>("Sequential: index ", index, " is out of range for ",
                      size(), " layers");
  }
  const Layer& layer = layers_[index < 0 ? index + size() : index];
  if (!layer.link) {
    raise<IndexError>("Sequential: expected a link at ", index,
                      ", got a function");
  }
  return *layer.link;
}

Sequential Sequential::repeat(int64_t n, CopyMode mode) const {
  if (n < 0) {
    raise<ValueError>("Sequential::repeat: expected at least 0, got ", n);
  }
  const CopyModeScope scope(mode);
  Sequential result;
  for (int64_t i = 0; i < n; ++i) {
    for (const Layer& layer : layers_) result.add(layer);
  }
  return result;
}

void Sequential::visit_children(const ChildVisitor& visit) {
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].link) visit(std::to_string(i), **layers_[i].link);
  }
}

}  // namespace catena
