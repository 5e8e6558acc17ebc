#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

struct LSTMOptions {
  NamedFieldsOnly keywords = {};
  // Initial values of the weights; each gate's part is initialized separately.
  Initializer lateral_init = initializers::LeCunNormal();
  Initializer upward_init = initializers::LeCunNormal();
  // Initial biases of all gates except the forget gate, and of the forget gate.
  Initializer bias_init = initializers::Constant(0);
  Initializer forget_bias_init = initializers::Constant(1);
};

// Base of LSTM and StatelessLSTM.
class LSTMBase : public ChainBase {
 public:
  using Options = LSTMOptions;

  Child<Linear> upward;   // in_size to 4 out_size, with biases
  Child<Linear> lateral;  // out_size to 4 out_size, no biases

  int64_t state_size() const { return state_size_; }

 protected:
  LSTMBase(std::optional<int64_t> in_size, int64_t out_size,
           const LSTMOptions& options);
  // Returns the new c and h after one step. The old states may be undefined.
  std::array<Variable, 2> step(const Variable& c, const Variable& h,
                               const Variable& x);

 private:
  int64_t state_size_;
};

// A long short-term memory (LSTM) layer whose states are arguments:
//
//   c', h' = lstm(c, upward(x) + lateral(h))        (functions::lstm)
class StatelessLSTM : public Callable<StatelessLSTM, LSTMBase> {
 public:
  // Without in_size, upward.W is initialized at the first call. Throws
  // ValueError when a size is not positive.
  explicit StatelessLSTM(int64_t out_size, const LSTMOptions& options = {});
  StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size,
                const LSTMOptions& options = {});

  // x is (B, in_size); c and h are (B, out_size), or undefined for zeros.
  // Returns c' and h'. Throws InvalidType when sizes do not match.
  std::array<Variable, 2> forward(const Variable& c, const Variable& h,
                                  const Variable& x) {
    return step(c, h, x);
  }
  std::array<Variable, 2> operator()(const Variable& c, const Variable& h,
                                     const Variable& x) {
    return call_link(*this, c, h, x);
  }
};

// A long short-term memory (LSTM) layer that keeps its states between calls.
// The states are not serialized. Truncated backpropagation through time:
//
//   loss = 0;
//   for (x, t) in the next 35 steps: loss += lossfun(model(x), t);
//   loss.backward();
//   loss.unchain_backward();
class LSTM : public Callable<LSTM, LSTMBase> {
 public:
  // Same arguments as StatelessLSTM.
  explicit LSTM(int64_t out_size, const LSTMOptions& options = {});
  LSTM(std::optional<int64_t> in_size, int64_t out_size,
       const LSTMOptions& options = {});

  // One step; updates c and h and returns the new h for the rows of x. x may
  // have fewer rows than the states, as when shorter sequences of a batch
  // sorted by descending length end; the remaining rows keep their states.
  // Throws ValueError when x has more.
  Variable forward(const Variable& x);

  // Clears the states.
  void reset_state();
  // Sets the states, moved to the link's device.
  void set_state(const Variable& c, const Variable& h);

  Variable c;  // (B, out_size); undefined before the first call
  Variable h;

 protected:
  void visit_state(const StateVisitor& visit) override;
};

}  // namespace catena::links
