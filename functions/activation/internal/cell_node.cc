#include "catena/functions/activation/internal/cell_node.h"

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"

namespace catena::functions {
namespace {

Array rows_from(const Array& a, int64_t first) {
  return a[{Slice(first, a.shape()[0])}];
}

// The first rows of a variable, or undefined.
Variable first_rows(const Variable& x, int64_t rows) {
  if (!x.defined() || x.shape()[0] == rows) return x;
  return get_item(x, {Slice(0, rows)});
}

}  // namespace

CellNode::Layout CellNode::layout_of(const Shape& state, int64_t batch) const {
  int64_t inner = 1;
  for (int axis = 2; axis < state.size(); ++axis) inner *= state[axis];
  if (order_ == GateOrder::kInterleaved && inner != 1) {
    return {batch, state[1], inner, GateOrder::kBlocked};
  }
  return {batch, 1, state[1] * inner, order_};
}

CellNode::Layout CellNode::layout() const {
  return layout_of(inputs()[0]->shape(), inputs().back()->shape()[0]);
}

Arrays CellNode::forward(const Arrays& in) {
  for (size_t i = 0; i < in.size(); ++i) retain_input(static_cast<int>(i));
  retain_output(0);
  const Array& state = in[0];
  const Layout layout = layout_of(state.shape(), in.back().shape()[0]);
  const int64_t all = state.shape()[0];
  Shape shape = state.shape();
  shape[0] = layout.batch;
  const Array c = array::empty(state.shape(), state.dtype(), state.device());
  const Array h = array::empty(shape, state.dtype(), state.device());
  std::vector<Array> matrices;  // alive until the call
  CellCall call(layout.rows(), layout.units);
  for (size_t i = 0; i < in.size(); ++i) {
    matrices.push_back(
        in[i].reshape(layout.shape(in[i].shape()[0], gates_[i])));
    call.inputs(matrices.back(), gates_[i], layout.order);
  }
  const Array c_rows = c.reshape(layout.shape(all, 1));
  const Array h_rows = h.reshape(layout.shape(layout.batch, 1));
  call.output(c_rows).output(h_rows);
  run_forward(call);
  if (all > layout.batch) {
    rows_from(c, layout.batch).assign(rows_from(state, layout.batch));
  }
  return {c, h};
}

Variables CellNode::backward(const Indexes& wanted, const Variables& gy) {
  if (!gy[0].defined() && !gy[1].defined()) return Variables(wanted.size());
  return config().enable_backprop ? recorded_gradients(wanted, gy)
                                  : gradients(wanted, gy);
}

Variables CellNode::gradients(const Indexes& wanted,
                              const Variables& gy) const {
  const Layout layout = this->layout();
  const int64_t all = inputs()[0]->shape()[0];
  std::vector<Array> matrices;
  matrices.reserve(2 * gates_.size() + 3);
  CellCall call(layout.rows(), layout.units);
  const auto matrix = [&](const Array& a, int gates) -> const Array& {
    matrices.push_back(
        a.defined() ? a.reshape(layout.shape(a.shape()[0], gates)) : a);
    return matrices.back();
  };
  for (size_t i = 0; i < gates_.size(); ++i) {
    const Array& input = retained_input_array(static_cast<int>(i));
    call.inputs(matrix(input, gates_[i]), gates_[i], layout.order);
  }
  call.input(matrix(retained_output_array(0), 1));
  for (const Variable& g : gy) {
    call.input(matrix(g.defined() ? g.data() : Array(), 1));
  }
  std::vector<Array> results(gates_.size());
  for (const int i : wanted) {
    const Array& like = retained_input_array(i);
    results[i] = array::empty(like.shape(), like.dtype(), like.device());
  }
  for (size_t i = 0; i < gates_.size(); ++i) {
    call.outputs(matrix(results[i], gates_[i]), gates_[i], layout.order);
  }
  run_gradient(call);
  if (results[0].defined() && all > layout.batch) {
    const Array rest = rows_from(results[0], layout.batch);
    if (gy[0].defined()) {
      rest.assign(rows_from(gy[0].data(), layout.batch));
    } else {
      rest.fill(0);
    }
  }
  Variables gradients;
  for (const int i : wanted) gradients.push_back(as_variable(results[i]));
  return gradients;
}

// The gradient composed of functions.
Variables CellNode::recorded_gradients(const Indexes& wanted,
                                       const Variables& gy) {
  const Layout layout = this->layout();
  const int64_t all = inputs()[0]->shape()[0];
  const auto matrix = [&](const Variable& x, int gates) {
    if (!x.defined()) return x;
    return reshape(first_rows(x, layout.batch),
                   layout.shape(layout.batch, gates));
  };
  TracedCell cell;
  for (size_t i = 0; i < gates_.size(); ++i) {
    const Variable x = matrix(retained_input(static_cast<int>(i)), gates_[i]);
    if (gates_[i] == 1) {
      cell.add_input(x);
    } else {
      cell.add_gates(x, gates_[i], layout.order);
    }
  }
  cell.add_input(matrix(retained_output(0), 1));
  for (const Variable& g : gy) cell.add_input(matrix(g, 1));
  trace_gradient(cell);

  Variables results;
  int stream = 0;
  size_t next = 0;
  for (int i = 0; i < static_cast<int>(gates_.size()); ++i) {
    if (next < wanted.size() && wanted[next] == i) {
      ++next;
      Shape shape = inputs()[i]->shape();
      const bool keeps = i == 0 && all > layout.batch;
      if (keeps) shape[0] = layout.batch;
      Variable g = reshape(cell.joined(stream, gates_[i], layout.order), shape);
      if (keeps) {
        shape[0] = all - layout.batch;
        const Variable rest =
            gy[0].defined()
                ? get_item(gy[0], {Slice(layout.batch, all)})
                : as_variable(array::zeros(shape, g.dtype(), g.device()));
        g = concat({g, rest}, {.axis = 0});
      }
      results.push_back(std::move(g));
    }
    stream += gates_[i];
  }
  return results;
}

}  // namespace catena::functions
