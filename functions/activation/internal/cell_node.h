#pragma once

#include <cstdint>
#include <vector>

#include "catena/autograd/function_node.h"
#include "catena/functions/activation/internal/traced_cell.h"
#include "catena/functions/engines/cells/cell_call.h"

namespace catena::functions {

// The node of functions from cell states and gate pre-activations to the next
// cell state c and the output h. A derived class checks types and names two
// functors: one computes c and h from the input streams; the other computes the
// gradients of all inputs from the inputs, c, and the gradients of c and h,
// which may be absent.
//
// All arrays are (B, units, ...), or (B, gates * units, ...) where an input has
// several gates. The first input may have more rows than the last, which
// determines h's rows; c copies the extra rows.
class CellNode : public FunctionNode {
 public:
  Arrays forward(const Arrays& in) final;
  Variables backward(const Indexes& wanted, const Variables& gy) final;

 protected:
  // The number of gates of each input, and their order.
  CellNode(std::vector<int> gates, GateOrder order)
      : gates_(std::move(gates)), order_(order) {}

  virtual void run_forward(CellCall& call) const = 0;
  virtual void run_gradient(CellCall& call) const = 0;
  virtual void trace_gradient(TracedCell& cell) const = 0;

 private:
  // How arrays are viewed as matrices of rows and units.
  struct Layout {
    int64_t batch;
    int64_t rows_each;  // rows per index of the first axis
    int64_t units;
    GateOrder order;

    int64_t rows() const { return batch * rows_each; }
    Shape shape(int64_t batch, int gates) const {
      return {batch * rows_each, units * gates};
    }
  };

  Layout layout_of(const Shape& state, int64_t batch) const;
  Layout layout() const;
  Variables gradients(const Indexes& wanted, const Variables& gy) const;
  Variables recorded_gradients(const Indexes& wanted, const Variables& gy);

  std::vector<int> gates_;
  GateOrder order_;
};

}  // namespace catena::functions
