#include "catena/links/connection/lstm.h"

#include <utility>

#include "catena/array/array.h"
#include "catena/array/index.h"
#include "catena/functions/activation/lstm.h"
#include "catena/functions/math/operators.h"
#include "catena/links/connection/positive_sizes.h"
#include "catena/links/connection/recurrent_state.h"

namespace catena::links {
namespace {

// Initializes the rows of each of the 4 parts separately.
Initializer by_parts(Initializer initializer) {
  const std::optional<Dtype> dtype = initializer.dtype();
  return Initializer(
      [initializer = std::move(initializer)](const Array& out) {
        const int64_t rows = out.shape()[0] / 4;
        for (int part = 0; part < 4; ++part) {
          initializer(out[{Slice(part * rows, (part + 1) * rows)}]);
        }
      },
      dtype);
}

// The gates of a unit are adjacent: a, i, f, o.
Initializer of_biases(Initializer bias, Initializer forget_bias) {
  const std::optional<Dtype> dtype = bias.dtype();
  return Initializer(
      [bias = std::move(bias),
       forget_bias = std::move(forget_bias)](const Array& out) {
        const Array gates = out.reshape({out.shape()[0] / 4, 4});
        for (int gate = 0; gate < 4; ++gate) {
          const Array column = gates[{Slice(), gate}];
          const Array values = column.copy();
          (gate == 2 ? forget_bias : bias)(values);
          column.assign(values);
        }
      },
      dtype);
}

}  // namespace

LSTMBase::LSTMBase(std::optional<int64_t> in_size, int64_t out_size,
                   const LSTMOptions& options)
    : upward(this, "upward", in_size,
             4 * check_positive("LSTM", "out_size", out_size),
             LinearOptions{.initialW = by_parts(options.upward_init),
                           .initial_bias = of_biases(
                               options.bias_init, options.forget_bias_init)}),
      lateral(this, "lateral", out_size, 4 * out_size,
              LinearOptions{.nobias = true,
                            .initialW = by_parts(options.lateral_init)}),
      state_size_(out_size) {}

std::array<Variable, 2> LSTMBase::step(const Variable& c, const Variable& h,
                                       const Variable& x) {
  Variable gates = upward(x);
  if (h.defined()) gates += lateral(h);
  return functions::lstm(state_or_zeros(c, gates, state_size_), gates);
}

StatelessLSTM::StatelessLSTM(int64_t out_size, const LSTMOptions& options)
    : StatelessLSTM(std::nullopt, out_size, options) {}

StatelessLSTM::StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size,
                             const LSTMOptions& options)
    : Callable(in_size, out_size, options) {}

LSTM::LSTM(int64_t out_size, const LSTMOptions& options)
    : LSTM(std::nullopt, out_size, options) {}

LSTM::LSTM(std::optional<int64_t> in_size, int64_t out_size,
           const LSTMOptions& options)
    : Callable(in_size, out_size, options) {}

Variable LSTM::forward(const Variable& x) {
  check_batch("LSTM", x, h);
  const Variable before = h.defined() ? first_rows(h, x.len()) : h;
  auto [next_c, y] = step(c, before, x);
  c = std::move(next_c);
  h = with_rest(y, h);
  return y;
}

void LSTM::reset_state() {
  c = Variable();
  h = Variable();
}

void LSTM::set_state(const Variable& c, const Variable& h) {
  this->c = state_on(c, device());
  this->h = state_on(h, device());
}

void LSTM::visit_state(const StateVisitor& visit) {
  visit(c);
  visit(h);
}

}  // namespace catena::links
