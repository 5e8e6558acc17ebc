#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// y = the sum of x over all ranks, on each of them; x is floating
// (else InvalidType), of one dtype and shape everywhere (else
// CommunicatorError). Differentiable any number of times, where the passes of
// all ranks go side by side: what is differentiated is the sum of all ranks'
// losses. The communicator must outlive the graph.
Variable allreduce(const Variable& x, Communicator& communicator);

// functions::batch_normalization with mean and variance of the minibatches of
// all ranks together, in y, in gradients of any order and in the running
// statistics. The number of examples may differ between ranks. gamma and beta
// get the gradients of this rank's part, which an optimizer adds up over ranks.
Variable multi_node_batch_normalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    Communicator& communicator,
    const functions::BatchNormalizationOptions& options = {});

}  // namespace catena::training::communicators
