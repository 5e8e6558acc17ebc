#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/caffe/net_definition.h"
#include "catena/links/chain.h"

// How a layer of a net becomes links and functions.
namespace catena::caffe {

// What a layer costs: floating operations for each element of its tops, and of
// its first bottom.
struct LayerCost {
  double per_output = 1;
  double per_input = 0;
};

struct Layer {
  // The tops. `link` is what add_link added; null without one.
  using Forward =
      std::function<Variables(const Variables& bottoms, Link* link)>;
  // Makes a link of the parameters, which becomes a child of `model`. To be
  // called once: the link takes the values over.
  using AddLink = std::function<void(Chain& model, const std::string& name)>;

  // The same with the Scale that follows; the second link is the Scale's.
  using FusedForward = std::function<Variables(const Variables& bottoms,
                                               Link* link, Link* scale_link)>;

  Forward forward;
  AddLink add_link = nullptr;
  // BatchNorm has it: one pass where there would be three.
  FusedForward fused_forward = nullptr;
  // Whether this is a Scale that can follow so: with factors and bias of its
  // own for each channel.
  bool scales_channels = false;
  LayerCost cost = {};
  // What a user should know although the layer works.
  std::string note = {};
};

struct BuildOptions {
  // The most elements that a blob may have when the net runs: Caffe's limit.
  int64_t max_elements = INT32_MAX;
};

// Makes the layer from what the file says without touching parameters.
// ValueError, with what is wrong, when it is not possible.
using LayerBuilder = Layer (*)(const LayerDefinition& definition,
                               const BuildOptions& options);

struct LayerType {
  std::string_view name;
  // How many bottoms and tops it takes.
  int min_bottoms;
  int max_bottoms;
  int min_tops;
  int max_tops;
  LayerBuilder build;
};

// For builders.

// A layer that is a function of its only bottom.
Layer unary_layer(std::function<Variable(const Variable&)> function,
                  const LayerCost& cost = {});

// ValueError unless the layer has `count` blobs.
void expect_blobs(const LayerDefinition& definition, size_t count);
// ValueError unless blob `index` has the shape, apart from ones in front.
void expect_blob_shape(const LayerDefinition& definition, size_t index,
                       const Shape& expected);

// The axis, negative ones counted from the end. ValueError when there is none.
int axis_among(int64_t axis, int ndim);
// Elements in the axes from `begin` up to `end`.
int64_t extent_product(const Shape& shape, int begin, int end);
// ValueError when the product of the extents exceeds the limit.
void check_size(const Shape& shape, int64_t max_elements);
// Labels, floats in Caffe, as int32 of another shape. ValueError when there is
// another number of them.
Array labels_of(const Variable& labels, const Shape& shape);

}  // namespace catena::caffe
