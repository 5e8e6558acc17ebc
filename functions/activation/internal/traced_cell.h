#pragma once

#include <utility>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/functions/engines/cells/cell_call.h"
#include "catena/functions/engines/elementwise/traced.h"

namespace catena::functions {

// Runs cell functors on variables of shape (rows, units) instead of lanes, when
// a backward pass is recorded.
class TracedCell {
 public:
  using Value = Traced;

  // Undefined variables are absent.
  void add_input(const Variable& x) { inputs_.push_back(x); }
  // The gates of x, whose shape is (rows, count * units).
  void add_gates(const Variable& x, int count, GateOrder order);

  // Used by the functor.
  Traced in(int k) const { return Traced(inputs_[k]); }
  Traced in_or_zero(int k) const {
    return inputs_[k].defined() ? in(k) : Traced(0);
  }
  void out(int k, const Traced& value);

  // Output k. It depends on some input and is therefore a variable.
  const Variable& output(int k) const { return outputs_[k]; }
  // `count` outputs from k on, joined as the gates of one variable.
  Variable joined(int k, int count, GateOrder order) const;

 private:
  std::vector<Variable> inputs_;
  std::vector<Variable> outputs_;
};

// The sigmoid that gate_sigmoid (gate_ops.h) uses for variables.
Traced recorded_sigmoid(const Traced& x);

}  // namespace catena::functions
