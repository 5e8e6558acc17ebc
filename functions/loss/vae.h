#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

// The losses of variational autoencoders (D. P. Kingma and M. Welling, 2014).
// Inputs of the same floating dtype and shape, else InvalidType; all of them
// get gradients. Throws ValueError for an unknown `reduce`.
namespace catena::functions {

struct LikelihoodOptions {
  NamedFieldsOnly keywords = {};
  // "sum" or "mean" over all elements, or "no" for the loss of each element.
  std::string_view reduce = "sum";
};

// The negative log-likelihood of x under a Bernoulli distribution with
// probability sigmoid(y): log(1 + exp(y)) - x y, without overflow.
Variable bernoulli_nll(const Variable& x, const Variable& y,
                       const LikelihoodOptions& options = {});

// The negative log-likelihood of x under N(mean, exp(ln_var)): (log(2 pi) +
// ln_var + (x - mean)^2 exp(-ln_var)) / 2.
Variable gaussian_nll(const Variable& x, const Variable& mean,
                      const Variable& ln_var,
                      const LikelihoodOptions& options = {});

// The Kullback-Leibler divergence of N(mean, exp(ln_var)) from N(0, 1):
// (mean^2 + exp(ln_var) - ln_var - 1) / 2.
Variable gaussian_kl_divergence(const Variable& mean, const Variable& ln_var,
                                const LikelihoodOptions& options = {});

}  // namespace catena::functions
