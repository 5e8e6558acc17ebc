#pragma once

#include "catena/array/array.h"
#include "catena/functions/rnn/internal/n_step_layer.h"

// What a step is in each kind of cell: between the node of a layer and the
// functors of n_step_ops.h.
namespace catena::functions {

// The arrays of a layer's forward pass, over all steps but for the states.
struct LayerForward {
  Array kept;  // (rows, kept gates * units): the gates' sources, then the gates
  Array cells;  // (rows, units): c before each step
  Array y;      // (rows, units)
  Array
      from_h;  // (B, gates * units): a step's sources from h, where kept apart
  Array h;     // (B, units)
  Array c;
};

// The same of the backward pass.
struct LayerBackward {
  const Array* kept;
  const Array* cells;
  const Array* y;
  const Array* h_before;  // (rows, units)
  Array gy;               // undefined when absent
  Array g_from_x;         // (rows, gates * units)
  Array g_from_h;         // the same array unless kept apart
  Array gh;               // (B, units)
  Array gc;
};

class NStepRule {
 public:
  virtual ~NStepRule() = default;

  int gates = 0;
  int kept_gates = 0;
  bool has_cells = false;
  // Whether what comes from h is not simply added to what comes from x.
  bool keeps_apart = false;
  // Whether a part of gh goes past the gates.
  bool has_shortcut = false;

  // One step on the rows [first, first + count) and the first `count` states.
  virtual void forward(const LayerForward& arrays, int64_t first,
                       int64_t count) const = 0;
  // Its gradient, but for what the matrix products give.
  virtual void backward(const LayerBackward& arrays, int64_t first,
                        int64_t count) const = 0;

  struct States {
    Variable h;
    Variable c;
  };
  // The step written with functions; from_x and from_h are sources.
  virtual States record(const States& before, const Variable& from_x,
                        const Variable& from_h) const = 0;

  static const NStepRule& of(NStepKind kind);
};

}  // namespace catena::functions
