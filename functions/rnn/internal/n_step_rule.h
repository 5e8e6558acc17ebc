#pragma once

#include "catena/array/array.h"
#include "catena/functions/rnn/internal/n_step_layer.h"

// The step of each kind of cell; connects the node of a layer with the functors
// of n_step_ops.h.
namespace catena::functions {

// The arrays of a layer's forward pass, over all steps, except for the states.
struct LayerForward {
  Array kept;    // (rows, kept gates * units): pre-activations, then gates
  Array cells;   // (rows, units): c before each step
  Array y;       // (rows, units)
  Array from_h;  // (B, gates * units): a step's pre-activations from h, if
                 // separate
  Array h;       // (B, units)
  Array c;
};

// The arrays of a layer's backward pass.
struct LayerBackward {
  const Array* kept;
  const Array* cells;
  const Array* y;
  const Array* h_before;  // (rows, units)
  Array gy;               // undefined when absent
  Array g_from_x;         // (rows, gates * units)
  Array g_from_h;         // the same array unless separate
  Array gh;               // (B, units)
  Array gc;
};

class NStepRule {
 public:
  virtual ~NStepRule() = default;

  int gates = 0;
  int kept_gates = 0;
  bool has_cells = false;
  // Whether the pre-activations from h stay separate from those from x, instead
  // of being added to them.
  bool has_separate_from_h = false;
  // Whether a part of gh bypasses the gates.
  bool has_shortcut = false;

  // One step on the rows [first, first + count) and the first `count` states.
  virtual void forward(const LayerForward& arrays, int64_t first,
                       int64_t count) const = 0;
  // The gradient of a step, without the matrix products.
  virtual void backward(const LayerBackward& arrays, int64_t first,
                        int64_t count) const = 0;

  struct States {
    Variable h;
    Variable c;
  };
  // The step composed of functions; from_x and from_h are pre-activations.
  virtual States record(const States& before, const Variable& from_x,
                        const Variable& from_h) const = 0;

  static const NStepRule& of(NStepKind kind);
};

}  // namespace catena::functions
