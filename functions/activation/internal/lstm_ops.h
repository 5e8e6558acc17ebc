#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/functions/engines/cells/cell_args.h"
#include "catena/functions/engines/cells/gate_ops.h"

// The cell functors (cell_args.h) of lstm, slstm and tree_lstm.
namespace catena::functions {

// c = tanh(a) sigmoid(i) + c_prev sigmoid(f), h = tanh(c) sigmoid(o). Inputs:
// c_prev, a, i, f, o.
struct LstmOp {
  static constexpr std::string_view kName = "lstm";
  static constexpr CellStreams kInputs = {
      .count = 5, .first_gate = 1, .groups = 1};
  static constexpr CellStreams kOutputs = {.count = 2};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const auto a = math::tanh(cell.in(1));
    const auto i = gate_sigmoid(cell.in(2));
    const auto f = gate_sigmoid(cell.in(3));
    const auto o = gate_sigmoid(cell.in(4));
    const auto c = a * i + cell.in(0) * f;
    cell.out(0, c);
    cell.out(1, math::tanh(c) * o);
  }
};

// Inputs: c_prev, a, i, f, o, c, gc, gh.
struct LstmGradient {
  static constexpr std::string_view kName = "gradient of lstm";
  static constexpr CellStreams kInputs = {
      .count = 8, .first_gate = 1, .groups = 1};
  static constexpr CellStreams kOutputs = {
      .count = 5, .first_gate = 1, .groups = 1};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const auto c_prev = cell.in(0);
    const auto a = math::tanh(cell.in(1));
    const auto i = gate_sigmoid(cell.in(2));
    const auto f = gate_sigmoid(cell.in(3));
    const auto o = gate_sigmoid(cell.in(4));
    const auto y = math::tanh(cell.in(5));
    const auto gh = cell.in_or_zero(7);
    const auto gc = cell.in_or_zero(6) + tanh_gradient(y, gh * o);
    cell.out(0, gc * f);
    cell.out(1, tanh_gradient(a, gc * i));
    cell.out(2, sigmoid_gradient(i, gc * a));
    cell.out(3, sigmoid_gradient(f, gc * c_prev));
    cell.out(4, sigmoid_gradient(o, gh * y));
  }
};

// c = tanh(a1) sigmoid(i1) + tanh(a2) sigmoid(i2) + c1 sigmoid(f1) + c2
// sigmoid(f2), h = tanh(c) sigmoid(o1 + o2). Inputs: c1, c2, a1, i1, f1, o1,
// a2, i2, f2, o2.
struct SlstmOp {
  static constexpr std::string_view kName = "slstm";
  static constexpr CellStreams kInputs = {
      .count = 10, .first_gate = 2, .groups = 2};
  static constexpr CellStreams kOutputs = {.count = 2};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const auto first = math::tanh(cell.in(2)) * gate_sigmoid(cell.in(3)) +
                       cell.in(0) * gate_sigmoid(cell.in(4));
    const auto second = math::tanh(cell.in(6)) * gate_sigmoid(cell.in(7)) +
                        cell.in(1) * gate_sigmoid(cell.in(8));
    const auto c = first + second;
    cell.out(0, c);
    cell.out(1, math::tanh(c) * gate_sigmoid(cell.in(5) + cell.in(9)));
  }
};

// Inputs: the same, then c, gc, gh.
struct SlstmGradient {
  static constexpr std::string_view kName = "gradient of slstm";
  static constexpr CellStreams kInputs = {
      .count = 13, .first_gate = 2, .groups = 2};
  static constexpr CellStreams kOutputs = {
      .count = 10, .first_gate = 2, .groups = 2};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const auto o = gate_sigmoid(cell.in(5) + cell.in(9));
    const auto y = math::tanh(cell.in(10));
    const auto gh = cell.in_or_zero(12);
    const auto gc = cell.in_or_zero(11) + tanh_gradient(y, gh * o);
    const auto go = sigmoid_gradient(o, gh * y);
    for (int child = 0; child < 2; ++child) {
      const int gates = 2 + 4 * child;
      const auto a = math::tanh(cell.in(gates));
      const auto i = gate_sigmoid(cell.in(gates + 1));
      const auto f = gate_sigmoid(cell.in(gates + 2));
      cell.out(child, gc * f);
      cell.out(gates, tanh_gradient(a, gc * i));
      cell.out(gates + 1, sigmoid_gradient(i, gc * a));
      cell.out(gates + 2, sigmoid_gradient(f, gc * cell.in(child)));
      cell.out(gates + 3, go);
    }
  }
};

// c = tanh(a) sigmoid(i) + sum of c_k sigmoid(f_k), h = tanh(c) sigmoid(o).
// Inputs: the children's cells c_k, a, i, o, and the f_k.
struct TreeLstmOp {
  static constexpr std::string_view kName = "tree_lstm";
  int children;

  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const int n = children;
    auto c = math::tanh(cell.in(n)) * gate_sigmoid(cell.in(n + 1));
    for (int k = 0; k < n; ++k) {
      c = c + cell.in(k)*gate_sigmoid(cell.in(n + 3 + k));
    }
    cell.out(0, c);
    cell.out(1, math::tanh(c) * gate_sigmoid(cell.in(n + 2)));
  }
};

// Inputs: the same, then c, gc, gh.
struct TreeLstmGradient {
  static constexpr std::string_view kName = "gradient of tree_lstm";
  int children;

  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const int n = children;
    const auto a = math::tanh(cell.in(n));
    const auto i = gate_sigmoid(cell.in(n + 1));
    const auto o = gate_sigmoid(cell.in(n + 2));
    const auto y = math::tanh(cell.in(2 * n + 3));
    const auto gh = cell.in_or_zero(2 * n + 5);
    const auto gc = cell.in_or_zero(2 * n + 4) + tanh_gradient(y, gh * o);
    cell.out(n, tanh_gradient(a, gc * i));
    cell.out(n + 1, sigmoid_gradient(i, gc * a));
    cell.out(n + 2, sigmoid_gradient(o, gh * y));
    for (int k = 0; k < n; ++k) {
      const auto f = gate_sigmoid(cell.in(n + 3 + k));
      cell.out(n + 3 + k, sigmoid_gradient(f, gc * cell.in(k)));
      cell.out(k, gc * f);
    }
  }
};

using LstmOps = TypeList<LstmOp, LstmGradient, SlstmOp, SlstmGradient,
                         TreeLstmOp, TreeLstmGradient>;

}  // namespace catena::functions
