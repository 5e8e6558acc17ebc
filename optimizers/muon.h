#pragma once

#include <cstdint>

#include "catena/optimizers/adamw.h"
#include "catena/optimizers/optimizer.h"

namespace catena::optimizers {

struct MuonOptions {
  NamedFieldsOnly keywords = {};
  double lr = 0.02;            // learning rate of matrices, finite
  double momentum = 0.95;      // in [0, 1)
  double weight_decay = 0.01;  // of a matrix, times lr; at least 0
  bool nesterov = true;        // whether a step looks ahead of the momentum
  int64_t steps = 5;           // of the iteration that orthogonalizes, 1 to 100
  // Whether matrices move as far as with AdamW, by 0.2 sqrt(max(m, n)) lr in
  // place of sqrt(max(1, m / n)) lr (Liu et al.: Muon is Scalable for LLM
  // Training, 2025): a learning rate of AdamW then suits them.
  bool match_adamw = false;
  // AdamW's, for all other parameters.
  double adamw_lr = 0.001;
  double adamw_beta1 = 0.9;
  double adamw_beta2 = 0.999;
  double adamw_eps = 1e-8;
  double adamw_weight_decay = 0.01;

  // Throws ValueError when an option is out of range.
  void check() const;
  static const Hyperparameter<MuonOptions> kHyperparameters[8];
};

// The update rule of Muon: that of a matrix w (m, n), or AdamW's.
class MuonRule final : public UpdateRuleOf<MuonOptions> {
 public:
  using UpdateRuleOf::UpdateRuleOf;

  // Leaves a matrix to AdamW. Throws ValueError after the first step.
  void use_adamw();
  // Whether a parameter, which has its shape, moves by AdamW.
  bool uses_adamw(const Parameter& parameter) const;

 private:
  std::span<const std::string_view> state_names() const override;
  void init_state(const Parameter& parameter) override;
  void update_core(const Parameter& parameter) override;

  bool uses_adamw_ = false;
};

// Momentum whose singular values are made equal. With the momentum v of a
// matrix w (m, n) and its gradient g,
//
//   v <- momentum v + g
//   w <- w (1 - lr weight_decay) - lr sqrt(max(1, m / n)) orthogonal(u)
//
// where u is g + momentum v, or v without `nesterov`. orthogonal(u) is close to
// the product of u's singular vectors: X = u / |u|, in the Frobenius norm, and
// five times (Newton-Schulz, with coefficients that leave the singular values
// between 0.7 and 1.2)
//
//   A = X X^T,  X <- 3.4445 X + (-4.7750 A + 2.0315 A A) X
//
// computed in float32, or float64 for float64.
//
// Only matrices of hidden layers are to be updated so. Parameters with another
// number of axes than two move by AdamW, with the options adamw_lr and so on;
// embeddings and last layers should, too:
//
//   optimizer.setup(model);
//   optimizer.use_adamw(*model.tokens);
//
// Jordan et al.: Muon: An optimizer for hidden layers in neural networks, 2024
// (https://kellerjordan.github.io/posts/muon).
class Muon final : public GradientMethod<MuonOptions, MuonRule> {
 public:
  explicit Muon(const MuonOptions& options = {}) : GradientMethod(options) {}

  // Leaves all parameters of a link to AdamW, or one. Throws ValueError for a
  // parameter that this optimizer was not set up with, and after the first
  // step.
  void use_adamw(const Link& link) const;
  void use_adamw(const Parameter& parameter) const;
};

// orthogonal(u) above, of a matrix of any floating dtype. Throws ShapeError for
// anything else, ValueError unless there are 1 to 100 steps.
Array orthogonalized(const Array& u, int64_t steps = 5);

}  // namespace catena::optimizers

extern template class catena::UpdateRuleOf<catena::optimizers::MuonOptions>;
extern template class catena::GradientMethod<catena::optimizers::MuonOptions,
                                             catena::optimizers::MuonRule>;
