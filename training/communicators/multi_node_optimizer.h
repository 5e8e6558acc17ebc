#pragma once

#include <concepts>
#include <memory>
#include <optional>

#include "catena/optimizers/optimizer.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

struct MultiNodeOptimizerOptions {
  // How gradients travel; defaults to what suits the communicator.
  std::optional<BucketPolicy> bucket_policy = std::nullopt;
};

// What create_multi_node_optimizer gives to an optimizer.
std::shared_ptr<GradientExchange> create_gradient_exchange(
    Communicator& communicator, const MultiNodeOptimizerOptions& options = {});

// Makes an optimizer one of several, each of a rank of its own: every step uses
// the mean of all ranks' gradients, so that all do the same step, that of one
// optimizer whose minibatch is all of theirs together. The first step begins
// with the parameters and persistent values of rank 0. Where some parameters
// have no shape yet, the loss is computed once before, in test mode and without
// a graph, to give them one.
//
//   const auto communicator = create_communicator("mpi");
//   optimizers::Adam optimizer;
//   create_multi_node_optimizer(optimizer, *communicator);
//   optimizer.setup(model);
//
// Gradients travel while the backward pass goes on, where the policy says so
// and the optimizer itself starts the pass, in update(lossfun, ...). Losses
// whose gradients reach a parameter from several passes are exchanged in
// update().
//
// Returns the optimizer. The communicator must outlive it. CommunicatorError
// from steps when ranks differ in their parameters, or one of them is gone.
template <std::derived_from<Optimizer> O>
O& create_multi_node_optimizer(O& optimizer, Communicator& communicator,
                               const MultiNodeOptimizerOptions& options = {}) {
  optimizer.set_gradient_exchange(
      create_gradient_exchange(communicator, options));
  return optimizer;
}
// The optimizer would be gone.
template <std::derived_from<Optimizer> O>
O& create_multi_node_optimizer(const O&&, Communicator&,
                               const MultiNodeOptimizerOptions& = {}) = delete;

}  // namespace catena::training::communicators
