#include "catena/links/model/vit.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {
namespace {

const VitOptions& checked(const VitOptions& options) {
  constexpr int64_t kMaxLayers = int64_t{1} << 16;
  if (options.layers < 1 || options.layers > kMaxLayers) {
    raise<ValueError>("Vit: expected 1 to ", kMaxLayers, " layers, got ",
                      options.layers);
  }
  if (options.patch_size < 1 || options.image_size < 1 ||
      options.image_size % options.patch_size != 0 || options.channels < 1) {
    raise<ValueError>(
        "Vit: expected positive image_size, patch_size and channels, and "
        "patch_size to divide image_size, got ",
        options.image_size, ", ", options.patch_size, " and ",
        options.channels);
  }
  if (options.units < 1 || options.classes < 0) {
    raise<ValueError>(
        "Vit: expected positive units and classes of at least 0, got ",
        options.units, " and ", options.classes);
  }
  return options;
}

Shape positions_shape(const VitOptions& options) {
  const int64_t side = options.image_size / options.patch_size;
  constexpr int64_t kMaxSide = int64_t{1} << 20;
  if (side > kMaxSide) {
    raise<ValueError>("Vit: expected at most ", kMaxSide,
                      " patches in a row, got ", side);
  }
  return {1, 1 + side * side, options.units};
}

TransformerBlockOptions block_of(const VitOptions& options) {
  return {.attention = {.nobias = !options.qkv_bias,
                        .out_nobias = false,
                        .dropout = options.dropout,
                        .initialW = initializers::Normal(options.deviation)},
          .hidden = options.hidden,
          .activation = options.activation,
          .nobias = false,
          .eps = options.eps,
          .dropout = options.dropout};
}

}  // namespace

Vit::Vit(const VitOptions& options)
    : class_token(this, "class_token", initializers::Normal(options.deviation),
                  Shape{1, 1, checked(options).units}),
      positions(this, "positions", initializers::Normal(options.deviation),
                positions_shape(options)),
      patches(this, "patches", options.channels, options.units,
              options.patch_size,
              ConvolutionOptions{
                  .stride = options.patch_size,
                  .initialW = initializers::Normal(options.deviation)}),
      blocks(this, "blocks"),
      norm(this, "norm", options.units,
           LayerNormalizationOptions{.eps = options.eps}),
      options_(options) {
  const LinearOptions layer = {.initialW =
                                   initializers::Normal(options.deviation)};
  for (int64_t i = 0; i < options.layers; ++i) {
    blocks->append(
        TransformerBlock(options.units, options.heads, block_of(options)));
  }
  if (options.pooler) {
    pooler.emplace(this, "pooler", options.units, options.units, layer);
  }
  if (options.classes > 0) {
    classifier.emplace(this, "classifier", options.units, options.classes,
                       layer);
  }
}

Variable Vit::features(const Variable& x) {
  const int64_t side = options_.image_size;
  const Shape& shape = x.shape();
  if (shape.ndim() != 4 || shape[1] != options_.channels || shape[2] != side ||
      shape[3] != side) {
    raise<InvalidType>("Vit: expected x of shape (B, ", options_.channels, ", ",
                       side, ", ", side, "), got ", shape);
  }
  const int64_t batch = shape[0];
  const int64_t units = options_.units;
  const Variable of_patches = functions::transpose(
      functions::reshape(patches(x), {batch, units, positions.shape()[1] - 1}),
      {0, 2, 1});
  Variable h =
      functions::concat(
          {functions::broadcast_to(class_token, {batch, 1, units}), of_patches},
          {.axis = 1}) +
      positions;
  if (options_.dropout > 0) {
    h = functions::dropout(h, {.ratio = options_.dropout});
  }
  for (int64_t i = 0; i < blocks->size(); ++i) {
    h = blocks->at<TransformerBlock>(i)(h);
  }
  return (*norm)(h, {.n_batch_axes = 2});
}

Variable Vit::pooled(const Variable& features) {
  if (!pooler) raise<ValueError>("Vit: expected a model with a pooler");
  return functions::tanh(
      (*pooler)(functions::get_item(features, {Slice(), 0})));
}

Variable Vit::forward(const Variable& x) {
  if (!classifier) raise<ValueError>("Vit: expected a model with classes");
  return (*classifier)(functions::get_item(features(x), {Slice(), 0}));
}

}  // namespace catena::links
