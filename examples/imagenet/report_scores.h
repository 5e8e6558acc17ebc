#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"

namespace catena::examples {

// The loss of a network's scores y for the labels t. Reports it and the
// accuracy as observations of the network.
inline Variable report_scores(const Variable& y, const Variable& t,
                              const Link* network) {
  const Variable loss = functions::softmax_cross_entropy(y, t);
  report({{"loss", loss}, {"accuracy", functions::accuracy(y, t)}}, network);
  return loss;
}

}  // namespace catena::examples
