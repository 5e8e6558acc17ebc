#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/observation_aggregator.h"
#include "catena/training/extensions/evaluator.h"

namespace catena::training::communicators {

// An evaluator of class E that reports the means of all ranks' evaluations.
template <std::derived_from<extensions::Evaluator> E>
class MultiNodeEvaluator final : public E {
 public:
  // The communicator must outlive it.
  MultiNodeEvaluator(E evaluator, Communicator& communicator)
      : E(std::move(evaluator)), communicator_(communicator) {}

 protected:
  Observation evaluate() override {
    return mean_over_ranks(E::evaluate(), communicator_);
  }

 private:
  Communicator& communicator_;
};

// Lets each rank evaluate its part of a dataset (see scatter_dataset); all
// ranks report the same means:
//
//   trainer.extend(create_multi_node_evaluator(
//       extensions::Evaluator(test_iter, model), *communicator));
//
// All ranks must use it, with the same trigger.
template <std::derived_from<extensions::Evaluator> E>
MultiNodeEvaluator<E> create_multi_node_evaluator(E evaluator,
                                                  Communicator& communicator) {
  return MultiNodeEvaluator<E>(std::move(evaluator), communicator);
}

}  // namespace catena::training::communicators
