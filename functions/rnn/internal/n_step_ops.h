#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/functions/engines/cells/cell_args.h"
#include "catena/functions/engines/cells/gate_ops.h"

// The cell functors (cell_args.h) of the n_step functions, which compute one
// step of a layer. States are read and written in place. Activated gates are
// stored for the gradients, but not when a step is recorded.
namespace catena::functions {

// In: c, then the pre-activations of i, f, a, o. Out: c, h, y = h, the old c,
// the activated gates.
struct LstmStep {
  static constexpr std::string_view kName = "n_step_lstm";
  static constexpr CellStreams kInputs = {.count = 5};
  static constexpr CellStreams kOutputs = {.count = 8};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const auto c_prev = cell.in(0);
    const auto i = gate_sigmoid(cell.in(1));
    const auto f = gate_sigmoid(cell.in(2));
    const auto a = math::tanh(cell.in(3));
    const auto o = gate_sigmoid(cell.in(4));
    const auto c = i * a + f * c_prev;
    const auto h = o * math::tanh(c);
    cell.out(0, c);
    cell.out(1, h);
    cell.out(2, h);
    cell.out(3, c_prev);
    cell.out(4, i);
    cell.out(5, f);
    cell.out(6, a);
    cell.out(7, o);
  }
};

// In: the old c, the activated i, f, a, o, gc, gh, gy. Out: the old c's
// gradient, and the pre-activations' gradients.
struct LstmStepGradient {
  static constexpr std::string_view kName = "gradient of n_step_lstm";
  static constexpr CellStreams kInputs = {.count = 8};
  static constexpr CellStreams kOutputs = {.count = 5};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const auto c_prev = cell.in(0);
    const auto i = cell.in(1);
    const auto f = cell.in(2);
    const auto a = cell.in(3);
    const auto o = cell.in(4);
    const auto y = math::tanh(i * a + f * c_prev);
    const auto gh = cell.in(6) + cell.in_or_zero(7);
    const auto gc = cell.in(5) + tanh_gradient(y, gh * o);
    cell.out(0, gc * f);
    cell.out(1, sigmoid_gradient(i, gc * a));
    cell.out(2, sigmoid_gradient(f, gc * c_prev));
    cell.out(3, tanh_gradient(a, gc * i));
    cell.out(4, sigmoid_gradient(o, gh * y));
  }
};

// In: h, the pre-activations of r, z, hbar from x, an unused stream, the
// pre-activations from h. Out: h, y = h, then the activated gates and q, which
// r multiplies.
struct GruStep {
  static constexpr std::string_view kName = "n_step_gru";
  static constexpr CellStreams kInputs = {.count = 8};
  static constexpr CellStreams kOutputs = {.count = 6};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    using T = typename Cell::Value;
    const auto r = gate_sigmoid(cell.in(1) + cell.in(5));
    const auto z = gate_sigmoid(cell.in(2) + cell.in(6));
    const auto q = cell.in(7);
    const auto hbar = math::tanh(cell.in(3) + r * q);
    const auto h = (T(1) - z) * hbar + z * cell.in(0);
    cell.out(0, h);
    cell.out(1, h);
    cell.out(2, r);
    cell.out(3, z);
    cell.out(4, hbar);
    cell.out(5, q);
  }
};

// In: the old h, r, z, hbar, q, gh, gy. Out: the part of the old h's gradient
// that bypasses the gates, the gradients of the pre-activations from x, and
// from h.
struct GruStepGradient {
  static constexpr std::string_view kName = "gradient of n_step_gru";
  static constexpr CellStreams kInputs = {.count = 7};
  static constexpr CellStreams kOutputs = {.count = 7};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    using T = typename Cell::Value;
    const auto r = cell.in(1);
    const auto z = cell.in(2);
    const auto hbar = cell.in(3);
    const auto gh = cell.in(5) + cell.in_or_zero(6);
    const auto ghbar = tanh_gradient(hbar, gh * (T(1) - z));
    const auto gr = sigmoid_gradient(r, ghbar * cell.in(4));
    const auto gz = sigmoid_gradient(z, gh * (cell.in(0) - hbar));
    cell.out(0, gh * z);
    cell.out(1, gr);
    cell.out(2, gz);
    cell.out(3, ghbar);
    cell.out(4, gr);
    cell.out(5, gz);
    cell.out(6, ghbar * r);
  }
};

// In: the pre-activation. Out: h, y = h.
struct TanhStep {
  static constexpr std::string_view kName = "n_step_rnn (tanh)";
  static constexpr CellStreams kInputs = {.count = 1};
  static constexpr CellStreams kOutputs = {.count = 2};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    const auto h = math::tanh(cell.in(0));
    cell.out(0, h);
    cell.out(1, h);
  }
};
struct ReluStep {
  static constexpr std::string_view kName = "n_step_rnn (relu)";
  static constexpr CellStreams kInputs = {.count = 1};
  static constexpr CellStreams kOutputs = {.count = 2};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    using T = typename Cell::Value;
    const auto x = cell.in(0);
    // NaN stays NaN.
    const auto h = math::select(x <= T(0), T(0), x);
    cell.out(0, h);
    cell.out(1, h);
  }
};

// In: y, gh, gy. Out: the gradient of the pre-activation.
struct TanhStepGradient {
  static constexpr std::string_view kName = "gradient of n_step_rnn (tanh)";
  static constexpr CellStreams kInputs = {.count = 3};
  static constexpr CellStreams kOutputs = {.count = 1};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    cell.out(0, tanh_gradient(cell.in(0), cell.in(1) + cell.in_or_zero(2)));
  }
};
struct ReluStepGradient {
  static constexpr std::string_view kName = "gradient of n_step_rnn (relu)";
  static constexpr CellStreams kInputs = {.count = 3};
  static constexpr CellStreams kOutputs = {.count = 1};
  template <class Cell>
  CATENA_HOST_DEVICE void operator()(Cell& cell) const {
    using T = typename Cell::Value;
    const auto gh = cell.in(1) + cell.in_or_zero(2);
    cell.out(0, math::select(cell.in(0) > T(0), gh, T(0)));
  }
};

using NStepOps =
    TypeList<LstmStep, LstmStepGradient, GruStep, GruStepGradient, TanhStep,
             TanhStepGradient, ReluStep, ReluStepGradient>;

}  // namespace catena::functions
