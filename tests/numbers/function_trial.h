#pragma once

#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/tests/support/function_golden.h"

namespace catena::testing {

using Arrays = std::vector<Array>;

// One forward and backward pass of a function, or its Error.
struct FunctionPass {
  Arrays outputs;
  Arrays grad_outputs;  // undefined for integers
  Arrays gradients;     // of the inputs, undefined where there is none
  std::string error;    // else empty

  bool is_refused() const { return !error.empty(); }
};

// The calls of a golden case with other inputs, on the CPU.
class FunctionTrial {
 public:
  FunctionTrial(const GoldenFunction& function, const GoldenCase& golden)
      : function_(function), golden_(golden), inputs_(golden.inputs()) {}

  // The inputs of the case; undefined ones are absent arguments.
  const Arrays& inputs() const { return inputs_; }
  const std::string& name() const { return golden_.name(); }

  // The gradients of the outputs are 1, -2, 3, 1, ... unless they are given.
  // Functions that draw numbers draw the same ones each time.
  FunctionPass run(const Arrays& inputs, const Arrays& grad_outputs = {}) const;

 private:
  const GoldenFunction& function_;
  const GoldenCase& golden_;
  Arrays inputs_;
};

}  // namespace catena::testing
