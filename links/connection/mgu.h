#pragma once

#include <cstdint>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

namespace catena::links {

// Base of the minimal gated units:
//
//   f = sigmoid(W_f [h, x])     hbar = tanh(W_h [f h, x])
//   h' = (1 - f) h + f hbar
//
// (Zhou et al., Minimal gated unit for recurrent neural networks, 2016.)
class MGUBase : public ChainBase {
 public:
  Child<Linear> W_f;  // n_units + n_inputs to n_units
  Child<Linear> W_h;

 protected:
  MGUBase(int64_t n_inputs, int64_t n_units);
  Variable step(const Variable& h, const Variable& x);
  int64_t units() const { return units_; }

 private:
  int64_t units_;
};

// A minimal gated unit (MGU) layer whose state is an argument.
class StatelessMGU : public Callable<StatelessMGU, MGUBase> {
 public:
  // Throws ValueError when a size is not positive.
  StatelessMGU(int64_t n_inputs, int64_t n_units)
      : Callable(n_inputs, n_units) {}

  // h is (B, n_units), x (B, n_inputs). Returns h'. Throws InvalidType when
  // sizes do not match.
  Variable forward(const Variable& h, const Variable& x) { return step(h, x); }
  Variable operator()(const Variable& h, const Variable& x) {
    return call_link(*this, h, x);
  }
};

// A minimal gated unit (MGU) layer that keeps its state between calls. The
// state is not serialized.
class StatefulMGU : public Callable<StatefulMGU, MGUBase> {
 public:
  // Throws ValueError when a size is not positive.
  StatefulMGU(int64_t in_size, int64_t out_size)
      : Callable(in_size, out_size) {}

  // One step; updates and returns h. Throws InvalidType when sizes do not
  // match.
  Variable forward(const Variable& x);

  // Clears the state.
  void reset_state() { h = Variable(); }
  // Sets the state, moved to the link's device.
  void set_state(const Variable& h);

  Variable h;  // (B, out_size); undefined before the first call

 protected:
  void visit_state(const StateVisitor& visit) override;
};

}  // namespace catena::links
