#pragma once

#include <concepts>
#include <memory>
#include <optional>

#include "catena/optimizers/optimizer.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

struct MultiNodeOptimizerOptions {
  NamedFieldsOnly keywords = {};
  // How gradients are sent; the default depends on the communicator.
  std::optional<BucketPolicy> bucket_policy = std::nullopt;
};

// The gradient exchange that create_multi_node_optimizer sets.
std::shared_ptr<GradientExchange> create_gradient_exchange(
    Communicator& communicator, const MultiNodeOptimizerOptions& options = {});

// Makes each step of an optimizer use the mean of all ranks' gradients, so that
// all ranks take the step of a single optimizer with the combined minibatch.
// The first step starts from the parameters and persistent values of rank 0. If
// some parameters have no shape yet, the loss is computed once before, in test
// mode and without a graph, to initialize them.
//
//   const auto communicator = create_communicator("mpi");
//   optimizers::Adam optimizer;
//   create_multi_node_optimizer(optimizer, *communicator);
//   optimizer.setup(model);
//
// Gradients are sent during the backward pass if the policy says so and the
// optimizer runs the pass itself, in update(lossfun, ...). Gradients that are
// accumulated over several passes are exchanged in update().
//
// Returns the optimizer. The communicator must outlive it. Steps throw
// CommunicatorError when parameters differ between ranks or a rank has ended.
template <std::derived_from<Optimizer> O>
O& create_multi_node_optimizer(O& optimizer, Communicator& communicator,
                               const MultiNodeOptimizerOptions& options = {}) {
  optimizer.set_gradient_exchange(
      create_gradient_exchange(communicator, options));
  return optimizer;
}
// A temporary optimizer would dangle.
template <std::derived_from<Optimizer> O>
O& create_multi_node_optimizer(const O&&, Communicator&,
                               const MultiNodeOptimizerOptions& = {}) = delete;

}  // namespace catena::training::communicators
