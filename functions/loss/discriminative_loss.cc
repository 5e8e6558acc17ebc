#include "catena/functions/loss/discriminative_loss.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/where.h"
#include "catena/functions/math/absolute.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName =
    "discriminative_margin_based_clustering_loss";

void check_types(const Variable& embeddings, const Variable& labels) {
  if (!config().type_check) return;
  const VariableRef inputs[] = {embeddings, labels};
  TypeCheck in(kName, inputs);
  const auto [x, t] = in.names<2>({"embeddings", "labels"});
  in.expect_floating(x);
  in.expect_integral(t);
  in.expect(x.ndim() == type_check::Term(4), t.ndim() == type_check::Term(3));
  in.expect(x.shape(0) == t.shape(0), x.shape(2) == t.shape(1),
            x.shape(3) == t.shape(2));
}

// The norm over the axes; without a gradient where it is 0.
Variable norm_of(const Variable& x, int64_t norm, const AxisSet& axis) {
  if (norm == 1) return sum(absolute(x), {.axis = axis});
  const Variable squares = sum(square(x), {.axis = axis});
  // NaN is one, too.
  const Array positive = array::not_equal(squares.data(), 0);
  return where(positive, sqrt(where(positive, squares, 1)), 0);
}

// Whether a pixel belongs to an instance, as 0 or 1: (C, N, 1, H, W).
Array masks_of(const Array& labels, int64_t instances, Dtype dtype) {
  const Array numbers =
      array::arange(1, instances + 1, 1, labels.dtype(), labels.device())
          .reshape({instances, 1, 1, 1, 1});
  return array::equal(labels.expand_dims(1), numbers).astype(dtype);
}

}  // namespace

std::tuple<Variable, Variable, Variable>
discriminative_margin_based_clustering_loss(
    const Variable& embeddings, const Variable& labels, double delta_v,
    double delta_d, int64_t max_embedding_dim,
    const DiscriminativeLossOptions& options) {
  const int64_t instances = max_embedding_dim;
  if (options.norm != 1 && options.norm != 2) {
    raise<ValueError>(kName, ": expected norm 1 or 2, got ", options.norm);
  }
  if (instances < 1) {
    raise<ValueError>(kName, ": expected max_embedding_dim of at least 1, got ",
                      instances);
  }
  check_types(embeddings, labels);
  const Dtype dtype = embeddings.dtype();
  const int64_t images = embeddings.shape()[0];
  const int64_t width = embeddings.shape()[1];
  const Array masks = masks_of(labels.data(), instances, dtype);
  const auto pixels_in = [&](const Axes& axes) {
    return array::maximum(array::sum(masks, {.axis = axes}), 1);
  };

  // (C, N, D)
  const Variable means =
      sum(embeddings * masks, {.axis = {3, 4}}) / pixels_in(Axes{3, 4});

  const Variable apart =
      norm_of(embeddings - reshape(means, {instances, images, width, 1, 1}),
              options.norm, 2);
  const Array mask = array::sum(masks, {.axis = 2});
  const Variable spread = square(relu(apart - delta_v)) * mask;
  const Variable variance =
      sum(sum(spread, {.axis = {1, 2, 3}}) / pixels_in(Axes{1, 2, 3, 4})) /
      static_cast<double>(instances);

  const Variable between =
      norm_of(reshape(means, {instances, 1, images, width}) -
                  reshape(means, {1, instances, images, width}),
              options.norm, 3);
  const Array order =
      array::arange(instances, std::nullopt, embeddings.device());
  const Array is_pair =
      array::less(order.expand_dims(1), order).astype(dtype).expand_dims(2);
  const double pairs =
      static_cast<double>(instances * (instances - 1) / 2 * images);
  const Variable distance =
      sum(square(relu(2 * delta_d - between)) * is_pair) / std::max(pairs, 1.0);

  const Variable regularization =
      sum(norm_of(means, options.norm, {1, 2})) /
      std::max<double>(static_cast<double>(instances * images), 1);
  return {variance * options.alpha, distance * options.beta,
          regularization * options.gamma};
}

}  // namespace catena::functions
