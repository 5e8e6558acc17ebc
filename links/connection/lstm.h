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
  // First values of the weights; each gate's part is initialized by itself.
  Initializer lateral_init = initializers::LeCunNormal();
  Initializer upward_init = initializers::LeCunNormal();
  // First values of the biases of all gates but the forget gate, and of that
  // one.
  Initializer bias_init = initializers::Constant(0);
  Initializer forget_bias_init = initializers::Constant(1);
};

// What LSTM and StatelessLSTM share.
class LSTMBase : public Chain {
 public:
  Child<Linear> upward;   // in_size to 4 out_size, with biases
  Child<Linear> lateral;  // out_size to 4 out_size, without

  int64_t state_size() const { return state_size_; }

 protected:
  LSTMBase(std::optional<int64_t> in_size, int64_t out_size,
           const LSTMOptions& options);
  // c and h after a step from the states c and h, which may be undefined.
  std::array<Variable, 2> step(const Variable& c, const Variable& h,
                               const Variable& x);

 private:
  int64_t state_size_;
};

// A fully connected layer of long short-term memory whose states are arguments:
//
//   c', h' = lstm(c, upward(x) + lateral(h))        (functions::lstm)
class StatelessLSTM : public LSTMBase {
 public:
  // Without in_size, upward.W is made at the first call. ValueError when a size
  // is not positive.
  explicit StatelessLSTM(int64_t out_size, const LSTMOptions& options = {});
  StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size,
                const LSTMOptions& options = {});

  // x is (B, in_size); c and h are (B, out_size) or undefined, which stands for
  // zeros. Returns c' and h'. InvalidType when sizes do not agree.
  std::array<Variable, 2> forward(const Variable& c, const Variable& h,
                                  const Variable& x) {
    return step(c, h, x);
  }
  std::array<Variable, 2> operator()(const Variable& c, const Variable& h,
                                     const Variable& x) {
    return call_link(*this, c, h, x);
  }
};

// The same, which keeps its states from call to call. They are not saved.
// Truncated backpropagation through time:
//
//   loss = 0;
//   for (x, t) in the next 35 steps: loss += lossfun(model(x), t);
//   loss.backward();
//   loss.unchain_backward();
class LSTM : public LSTMBase {
 public:
  // As StatelessLSTM.
  explicit LSTM(int64_t out_size, const LSTMOptions& options = {});
  LSTM(std::optional<int64_t> in_size, int64_t out_size,
       const LSTMOptions& options = {});

  // One step; updates c and h and returns the new h for the rows of x. x may
  // have fewer rows than the states (sequences sorted by falling length end one
  // after the other); the rest of the states then stay. ValueError when it has
  // more.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  // Forgets the states.
  void reset_state();
  // Takes over states, which are moved to the link's device.
  void set_state(const Variable& c, const Variable& h);

  Variable c;  // (B, out_size); undefined before the first call
  Variable h;

 protected:
  void move_state(Device device) override;
};

}  // namespace catena::links
