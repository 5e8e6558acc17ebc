#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/caffe/net_definition.h"
#include "catena/links/chain.h"

// Conversion of layers to links and functions.
namespace catena::caffe {

// Floating-point operations per element of the tops, and per element of the
// first bottom.
struct LayerCost {
  double per_output = 1;
  double per_input = 0;
};

// A layer of a net that can be called.
struct Layer {
  // Computes the tops. `link` is the one that add_link added, or null.
  using Forward =
      std::function<Variables(const Variables& bottoms, Link* link)>;
  // Adds a link with the parameters to `model`. Call once: the link takes over
  // the values.
  using AddLink =
      std::function<void(ChainBase& model, const std::string& name)>;

  // Computes the tops including the following Scale; the second link is the
  // Scale's.
  using FusedForward = std::function<Variables(const Variables& bottoms,
                                               Link* link, Link* scale_link)>;

  Forward forward;
  AddLink add_link = nullptr;
  // Set for BatchNorm: one pass instead of three.
  FusedForward fused_forward = nullptr;
  // Whether this is a Scale that can be fused so: it has its own factors and
  // bias per channel.
  bool scales_channels = false;
  LayerCost cost = {};
  // A note for users about a supported layer.
  std::string note = {};
};

struct BuildOptions {
  NamedFieldsOnly keywords = {};
  // The maximum number of elements of a blob at run time; defaults to Caffe's
  // limit.
  int64_t max_elements = INT32_MAX;
};

// Builds a layer from its definition, without reading parameters. Throws
// ValueError, with the cause, when that is not possible.
using LayerBuilder = Layer (*)(const LayerDefinition& definition,
                               const BuildOptions& options);

// How layers of a type are read.
struct LayerType {
  std::string_view name;
  // The allowed numbers of bottoms and tops.
  int min_bottoms;
  int max_bottoms;
  int min_tops;
  int max_tops;
  LayerBuilder build;
};

// Helpers for builders.

// A layer that is a function of its only bottom.
Layer unary_layer(std::function<Variable(const Variable&)> function,
                  const LayerCost& cost = {});

// Throws ValueError unless the layer has `count` blobs.
void expect_blobs(const LayerDefinition& definition, size_t count);
// Throws ValueError unless blob `index` has the shape, ignoring leading ones.
void expect_blob_shape(const LayerDefinition& definition, size_t index,
                       const Shape& expected);

// The non-negative axis; negative axes count from the end. Throws ValueError
// when out of range.
int axis_among(int64_t axis, int ndim);
// The product of the extents of axes [begin, end).
int64_t extent_product(const Shape& shape, int begin, int end);
// Throws ValueError when the product of the extents exceeds the limit.
void check_size(const Shape& shape, int64_t max_elements);
// Labels, floats in Caffe, as int32 in the given shape. Throws ValueError when
// their number does not match.
Array labels_of(const Variable& labels, const Shape& shape);

}  // namespace catena::caffe
