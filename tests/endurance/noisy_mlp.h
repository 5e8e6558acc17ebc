#pragma once

#include "catena/functions/activation/relu.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

namespace catena::testing {

// A perceptron whose training draws from the device's random generator.
class NoisyMLP : public Chain<NoisyMLP> {
 public:
  NoisyMLP() : l1(this, "l1", 16), l2(this, "l2", 2) {}
  Variable forward(const Variable& x) {
    return l2(functions::dropout(functions::relu(l1(x)), {.ratio = 0.25}));
  }

 private:
  Child<links::Linear> l1, l2;
};

}  // namespace catena::testing
