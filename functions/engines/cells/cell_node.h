#pragma once

#include <cstdint>
#include <vector>

#include "catena/autograd/function_node.h"
#include "catena/functions/engines/cells/cell_call.h"
#include "catena/functions/engines/cells/traced_cell.h"

namespace catena::functions {

// The node of functions from cell states and the gates' sources to the next
// cell state and the output, c and h. A derived class checks types and names
// two functors: one that computes c and h from the inputs' streams; and one
// that computes the gradients of all these from them, c, and the gradients of c
// and h, which may be absent.
//
// All arrays are (B, units, ...), or (B, gates * units, ...) where an input has
// several gates. The first input may have more rows than the last, whose
// number h has; c keeps those rows of it.
class CellNode : public FunctionNode {
 public:
  Arrays forward(const Arrays& in) final;
  Variables backward(const Indexes& wanted, const Variables& gy) final;

 protected:
  // How many gates each input has, and how they lie.
  CellNode(std::vector<int> gates, GateOrder order)
      : gates_(std::move(gates)), order_(order) {}

  virtual void run_forward(CellCall& call) const = 0;
  virtual void run_gradient(CellCall& call) const = 0;
  virtual void trace_gradient(TracedCell& cell) const = 0;

 private:
  // How arrays are seen as matrices of rows and units.
  struct Layout {
    int64_t batch;
    int64_t rows_each;  // rows for each index of the first axis
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
