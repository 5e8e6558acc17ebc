#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/attention/transformer_block.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"

namespace catena::links {

// The defaults are those of ViT's base model for images of 224 by 224 pixels.
struct VitOptions {
  NamedFieldsOnly keywords = {};
  int64_t image_size = 224;
  int64_t patch_size = 16;
  int64_t channels = 3;
  int64_t units = 768;
  int64_t hidden = 3072;  // the units between a block's two layers
  int64_t heads = 12;
  int64_t layers = 12;
  FeedForward activation = FeedForward::kGelu;
  bool qkv_bias = true;
  // In training, of embeddings, weights of attention and what layers add.
  double dropout = 0;
  double eps = 1e-12;
  // The parts behind the blocks.
  bool pooler = false;
  int64_t classes = 1000;  // 0: no classifier
  // The standard deviation of initial weights.
  double deviation = 0.02;
};

// ViT: a transformer whose tokens are the square patches of an image, and one
// more, from which the image is classified.
//
// Dosovitskiy et al.: An Image is Worth 16x16 Words, 2021.
class Vit : public Chain<Vit> {
 public:
  using Options = VitOptions;

  // Throws ValueError unless sizes are positive, patch_size divides image_size,
  // heads divides units, and classes is at least 0.
  explicit Vit(const VitOptions& options = {});

  // The scores of classes, (B, classes), of x (B, channels, image_size,
  // image_size). Throws InvalidType when x has another shape, ValueError when
  // there is no classifier.
  Variable forward(const Variable& x);

  // What the last normalization makes of the first token and all patches, row
  // by row: (B, 1 + patches, units).
  Variable features(const Variable& x);
  // The tanh of a layer of the first token's: (B, units). Throws ValueError
  // when there is no pooler.
  Variable pooled(const Variable& features);

  const VitOptions& options() const { return options_; }

  Param class_token;  // (1, 1, units)
  Param positions;    // (1, 1 + patches, units)
  Child<Convolution2D> patches;
  Child<ChainList> blocks;  // of TransformerBlock
  Child<LayerNormalization> norm;
  std::optional<Child<Linear>> pooler;
  std::optional<Child<Linear>> classifier;

 private:
  VitOptions options_;
};

}  // namespace catena::links
