#include "catena/optimizers/muon.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/optimizers/adam_ops.h"
#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/muon_ops.h"

namespace catena::optimizers {
namespace {

void check_steps(int64_t steps) {
  constexpr int64_t kMaxSteps = 100;
  if (steps < 1 || steps > kMaxSteps) {
    raise<ValueError>("Muon: expected 1 to ", kMaxSteps, " steps, got ", steps);
  }
}

}  // namespace

const Hyperparameter<MuonOptions> MuonOptions::kHyperparameters[8] = {
    {"lr", &MuonOptions::lr},
    {"momentum", &MuonOptions::momentum},
    {"weight_decay", &MuonOptions::weight_decay},
    {"adamw_lr", &MuonOptions::adamw_lr},
    {"adamw_beta1", &MuonOptions::adamw_beta1},
    {"adamw_beta2", &MuonOptions::adamw_beta2},
    {"adamw_eps", &MuonOptions::adamw_eps},
    {"adamw_weight_decay", &MuonOptions::adamw_weight_decay}};

void MuonOptions::check() const {
  check_learning_rate("Muon", "lr", lr);
  check_decay("Muon", "momentum", momentum);
  check_not_negative("Muon", "weight_decay", weight_decay);
  check_steps(steps);
  check_learning_rate("Muon", "adamw_lr", adamw_lr);
  check_decay("Muon", "adamw_beta1", adamw_beta1);
  check_decay("Muon", "adamw_beta2", adamw_beta2);
  check_not_negative("Muon", "adamw_eps", adamw_eps);
  check_not_negative("Muon", "adamw_weight_decay", adamw_weight_decay);
}

Array orthogonalized(const Array& u, int64_t steps) {
  constexpr double kA = 3.4445;
  constexpr double kB = -4.7750;
  constexpr double kC = 2.0315;
  constexpr double kEps = 1e-7;
  check_steps(steps);
  if (u.ndim() != 2 || !is_floating(u.dtype())) {
    raise<ShapeError>("orthogonalized: expected a floating matrix, got ",
                      u.dtype(), " ", u.shape());
  }
  const Dtype dtype =
      u.dtype() == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
  // The products of the shorter side are smaller.
  const bool is_tall = u.shape()[0] > u.shape()[1];
  Array x = (is_tall ? u.T() : u).astype(dtype).contiguous();
  x = x / (array::sqrt(array::sum_of_squares(x)).astype(dtype) + kEps);
  for (int64_t i = 0; i < steps; ++i) {
    const Array square = array::matmul(x, x, {.transb = true});
    const Array polynomial = square.copy();
    array::gemm(square, square, polynomial, {.alpha = kC, .beta = kB});
    const Array next = x.copy();
    array::gemm(polynomial, x, next, {.beta = kA});
    x = next;
  }
  return (is_tall ? x.T() : x).astype(u.dtype());
}

void MuonRule::use_adamw() {
  if (!state().empty()) {
    raise<ValueError>(
        "Muon::use_adamw: expected a call before the first step, which makes "
        "the state of a parameter");
  }
  uses_adamw_ = true;
}

bool MuonRule::uses_adamw(const Parameter& parameter) const {
  return uses_adamw_ || parameter.ndim() != 2;
}

std::span<const std::string_view> MuonRule::state_names() const {
  static constexpr std::string_view kNames[] = {"m", "v"};
  return kNames;
}

void MuonRule::init_state(const Parameter& parameter) {
  if (uses_adamw(parameter)) return UpdateRuleOf::init_state(parameter);
  state_array("v") = array::zeros_like(parameter.data());
}

void MuonRule::update_core(const Parameter& parameter) {
  if (uses_adamw(parameter)) {
    run_fused(
        [this] {
          const MuonOptions hp = hyper();
          return AdamWStep{hp.adamw_lr,  hp.adamw_beta1,        hp.adamw_beta2,
                           hp.adamw_eps, hp.adamw_weight_decay, recipe_t()};
        },
        {parameter.grad()},
        {parameter.data(), state_array("m"), state_array("v")});
    return;
  }
  const MuonOptions options = hyper();
  const Array u = array::empty_like(parameter.data());
  UpdateBatch batch;
  batch.add(
      [this] {
        const MuonOptions hp = hyper();
        return hp.nesterov ? MuonMomentumOp{hp.momentum, hp.momentum, 1}
                           : MuonMomentumOp{hp.momentum, 1, 0};
      },
      {parameter.grad()}, {state_array("v"), u});
  batch.run();
  const auto rows = static_cast<double>(parameter.shape()[0]);
  const auto columns =
      static_cast<double>(std::max<int64_t>(parameter.shape()[1], 1));
  const double scale = options.match_adamw
                           ? 0.2 * std::sqrt(std::max(rows, columns))
                           : std::sqrt(std::max(1.0, rows / columns));
  run_fused(
      [this, scale] {
        const MuonOptions hp = hyper();
        return MuonOp{1 - hp.lr * hp.weight_decay, hp.lr * scale};
      },
      {orthogonalized(u, options.steps)}, {parameter.data()});
}

void Muon::use_adamw(const Link& link) const {
  for (const Parameter& param : link.params()) use_adamw(param);
}

void Muon::use_adamw(const Parameter& parameter) const {
  auto* const rule = dynamic_cast<MuonRule*>(&update_rule_of(parameter));
  if (rule == nullptr) {
    raise<ValueError>(
        "Muon::use_adamw: expected a parameter of this "
        "optimizer's target, got that of another optimizer: ",
        parameter.name());
  }
  rule->use_adamw();
}

}  // namespace catena::optimizers

template class catena::UpdateRuleOf<catena::optimizers::MuonOptions>;
template class catena::GradientMethod<catena::optimizers::MuonOptions,
                                      catena::optimizers::MuonRule>;
