#pragma once

#include <cstdint>
#include <tuple>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DiscriminativeLossOptions {
  NamedFieldsOnly keywords = {};
  int64_t norm = 1;      // 1, or 2 for Euclidean distances
  double alpha = 1.0;    // weight of the variance loss
  double beta = 1.0;     // weight of the distance loss
  double gamma = 0.001;  // weight of the regularization
};

// Losses for pixel embeddings that pull pixels of one instance together and
// push different instances apart (B. De Brabandere, D. Neven and L. Van Gool,
// 2017). With mu the mean embedding of an instance in an image, the three
// losses, which the caller adds, are
//
//   alpha * mean over instances of: mean over their pixels of
//           max(|mu - x| - delta_v, 0)^2
//   beta  * mean over images and pairs of instances of
//           max(2 delta_d - |mu_a - mu_b|, 0)^2
//   gamma * sum over instances of |their means in all images|, divided by the
//           number of both
//
// embeddings are (N, D, H, W), floating; labels (N, H, W), integers: instances
// count from 1 to max_embedding_dim, and pixels with other labels belong to
// none. Distances of 0 have no gradient. Throws InvalidType when dtypes or
// shapes do not match; ValueError for any other norm and unless
// max_embedding_dim is positive. Unlike Chainer's, it does not need as many
// images as instances.
std::tuple<Variable, Variable, Variable>
discriminative_margin_based_clustering_loss(
    const Variable& embeddings, const Variable& labels, double delta_v,
    double delta_d, int64_t max_embedding_dim,
    const DiscriminativeLossOptions& options = {});

}  // namespace catena::functions
