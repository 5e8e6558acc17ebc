#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/caffe/layer_builders.h"
#include "catena/caffe/net.pb.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/bias.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/scale.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/links/connection/bias.h"
#include "catena/links/connection/scale.h"
#include "catena/links/normalization/batch_normalization.h"

namespace catena::caffe {
namespace {

namespace F = functions;

// The parameter of Scale and Bias.
struct AlignedParams {
  int64_t axis;
  int64_t num_axes;
  bool has_own;  // otherwise it is the second bottom

  template <class Params>
  AlignedParams(const LayerDefinition& definition, const Params& params)
      : axis(params.axis()),
        num_axes(params.num_axes()),
        has_own(definition.bottoms.size() == 1) {
    if (num_axes < -1 || num_axes > kMaxDims) {
      raise<ValueError>("num_axes: expected a number from -1 to ", kMaxDims,
                        ", got ", num_axes);
    }
  }

  // The shape of the blob, which must have num_axes axes, else ValueError.
  Shape shape_of(const LayerDefinition& definition, size_t blob) const {
    Shape shape = definition.blobs[blob].shape;
    if (num_axes < 0 || !has_own) return shape;
    while (shape.ndim() > num_axes && shape[0] == 1) shape.erase(0);
    if (shape.ndim() != num_axes) {
      raise<ValueError>("blobs[", blob, "]: expected ", num_axes,
                        " axes, as num_axes says, got shape ",
                        definition.blobs[blob].shape);
    }
    return shape;
  }
};

}  // namespace

Layer build_batch_norm(const LayerDefinition& definition, const BuildOptions&) {
  const BatchNormParameter& params = definition.message->batch_norm_param();
  const double eps = params.eps();
  const double decay = params.moving_average_fraction();
  if (!(eps >= 0) || !(decay >= 0 && decay <= 1)) {
    raise<ValueError>(
        "expected eps of at least 0 and moving_average_fraction in [0, 1], "
        "got ",
        eps, " and ", decay);
  }
  std::optional<bool> use_global_stats;
  if (params.has_use_global_stats()) {
    use_global_stats = params.use_global_stats();
  }
  expect_blobs(definition, 3);
  const Shape size = {definition.blobs[0].count};
  expect_blob_shape(definition, 0, size);
  expect_blob_shape(definition, 1, size);
  expect_blob_shape(definition, 2, {1});
  return {
      .forward = [=](const Variables& bottoms, Link* link) -> Variables {
        // If given, use_global_stats applies in both phases.
        const bool train =
            use_global_stats ? !*use_global_stats : config().train;
        const auto scope = using_config(&Config::train, train);
        return {static_cast<links::BatchNormalization&>(*link)(bottoms[0])};
      },
      .add_link =
          [=, blobs = definition.blobs](ChainBase& model,
                                        const std::string& name) {
            auto& link = model.add_link(
                name, links::BatchNormalization(size, {.decay = decay,
                                                       .eps = eps,
                                                       .use_gamma = false,
                                                       .use_beta = false}));
            // The blobs are weighted sums; the third is the total weight.
            const float sum = blobs[2].values({}).item<float>();
            const float factor = sum == 0 ? 0 : 1 / sum;
            link.avg_mean = blobs[0].values(size) * factor;
            link.avg_var = blobs[1].values(size) * factor;
          },
      .fused_forward = [=](const Variables& bottoms, Link* link,
                           Link* scale_link) -> Variables {
        auto& bn = static_cast<links::BatchNormalization&>(*link);
        auto& scale = static_cast<links::Scale&>(*scale_link);
        const bool train =
            use_global_stats ? !*use_global_stats : config().train;
        if (train) {
          return {F::batch_normalization(bottoms[0], scale.W, (*scale.bias)->b,
                                         {.eps = bn.eps,
                                          .running_mean = bn.avg_mean,
                                          .running_var = bn.avg_var,
                                          .decay = bn.decay})};
        }
        return {F::fixed_batch_normalization(
            bottoms[0], scale.W, (*scale.bias)->b, as_variable(bn.avg_mean),
            as_variable(bn.avg_var), {.eps = bn.eps})};
      },
      .cost = {.per_output = 4}};
}

Layer build_scale(const LayerDefinition& definition, const BuildOptions&) {
  const ScaleParameter& params = definition.message->scale_param();
  const AlignedParams aligned(definition, params);
  const bool bias_term = params.bias_term();
  const size_t own = aligned.has_own ? 1 : 0;
  expect_blobs(definition, own + (bias_term ? 1 : 0));
  std::optional<Shape> W_shape;
  std::optional<Shape> bias_shape;
  if (aligned.has_own) W_shape = aligned.shape_of(definition, 0);
  if (bias_term) {
    bias_shape = aligned.shape_of(definition, own);
    if (W_shape) expect_blob_shape(definition, 1, *W_shape);
  }
  Layer layer = {.forward = [=](const Variables& bottoms,
                                Link* link) -> Variables {
    auto* const scale = static_cast<links::Scale*>(link);
    const Variable& x = bottoms[0];
    const Variable& W =
        W_shape ? static_cast<const Variable&>(scale->W) : bottoms[1];
    const int axis =
        W.ndim() == 0 && x.ndim() == 0 ? 0 : axis_among(aligned.axis, x.ndim());
    const Variable y = F::scale(x, W, {.axis = axis});
    if (!bias_term) return {y};
    return {F::bias(y, (*scale->bias)->b, {.axis = axis})};
  }};
  if (definition.blobs.empty()) return layer;
  layer.add_link = [=, blobs = definition.blobs](ChainBase& model,
                                                 const std::string& name) {
    auto& link = model.add_link(name, links::Scale({.W_shape = W_shape,
                                                    .bias_term = bias_term,
                                                    .bias_shape = bias_shape}));
    if (W_shape) link.W.set_data(blobs[0].values(*W_shape));
    if (bias_term) {
      (*link.bias)->b.set_data(blobs[own].values(*bias_shape));
    }
  };
  layer.cost.per_output = bias_term ? 2 : 1;
  layer.scales_channels =
      W_shape && W_shape->ndim() == 1 && bias_term && aligned.axis == 1;
  return layer;
}

Layer build_bias(const LayerDefinition& definition, const BuildOptions&) {
  const AlignedParams aligned(definition, definition.message->bias_param());
  expect_blobs(definition, aligned.has_own ? 1 : 0);
  Layer layer = {
      .forward = [=](const Variables& bottoms, Link* link) -> Variables {
        const Variable& x = bottoms[0];
        const int axis = axis_among(aligned.axis, x.ndim());
        if (!aligned.has_own) return {F::bias(x, bottoms[1], {.axis = axis})};
        return {F::bias(x, static_cast<links::Bias*>(link)->b, {.axis = axis})};
      }};
  if (!aligned.has_own) return layer;
  const Shape shape = aligned.shape_of(definition, 0);
  layer.add_link = [shape, blob = definition.blobs[0]](
                       ChainBase& model, const std::string& name) {
    auto& link = model.add_link(name, links::Bias({.shape = shape}));
    link.b.set_data(blob.values(shape));
  };
  return layer;
}

Layer build_mvn(const LayerDefinition& definition, const BuildOptions&) {
  const MVNParameter& params = definition.message->mvn_param();
  const bool normalize_variance = params.normalize_variance();
  const int first = params.across_channels() ? 1 : 2;
  const double eps = params.eps();
  return unary_layer(
      [=](const Variable& x) {
        if (x.ndim() <= first) {
          raise<ValueError>("expected a bottom of more than ", first,
                            " axes, got shape ", x.shape());
        }
        F::AverageOptions over = {.keepdims = true};
        Axes axes;
        for (int axis = first; axis < x.ndim(); ++axis) axes.push_back(axis);
        over.axis = axes;
        const Variable centered = x - F::average(x, over);
        if (!normalize_variance) return centered;
        return centered /
               (F::sqrt(F::average(centered * centered, over)) + eps);
      },
      {.per_output = normalize_variance ? 6.0 : 2.0});
}

}  // namespace catena::caffe
