#pragma once

#include <cstdint>
#include <tuple>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DiscriminativeLossOptions {
  int64_t norm = 1;      // 1, or 2 for Euclidean distances
  double alpha = 1.0;    // of the variance
  double beta = 1.0;     // of the distance
  double gamma = 0.001;  // of the regularization
};

// Embeds the pixels of an image so that those of one instance gather and those
// of different ones part (B. De Brabandere, D. Neven and L. Van Gool, 2017).
// With mu the mean embedding of an instance in an image, the three losses,
// which are to be added up, are
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
// none. Distances of 0 have no gradient. InvalidType when dtypes or shapes do
// not fit; ValueError for another norm and unless max_embedding_dim is
// positive. Chainer's needs as many images as instances, this does not.
std::tuple<Variable, Variable, Variable>
discriminative_margin_based_clustering_loss(
    const Variable& embeddings, const Variable& labels, double delta_v,
    double delta_d, int64_t max_embedding_dim,
    const DiscriminativeLossOptions& options = {});

}  // namespace catena::functions
