#pragma once

#include "catena/training/communicators/communicator.h"

// The contract of every communicator, as tests that all ranks run concurrently,
// with GoogleTest assertions.
namespace catena::training::communicators::testing {

void check_collectives(Communicator& communicator);
void check_models(Communicator& communicator);
void check_bad_calls(Communicator& communicator);
// Compares training on parts of minibatches with training on whole minibatches:
// parameters are equal up to float32 rounding, and bit-identical on all ranks.
void check_training(Communicator& communicator);
// Loss scaling; if one rank's gradients are not finite, all ranks skip the
// step.
void check_loss_scaling(Communicator& communicator);

}  // namespace catena::training::communicators::testing
