#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

struct GRUOptions {
  Initializer init = initializers::LeCunNormal();        // of W_r, W_z, W
  Initializer inner_init = initializers::LeCunNormal();  // of U_r, U_z, U
  Initializer bias_init = initializers::Constant(0);
};

// What the gated recurrent units share:
//
//   r = sigmoid(W_r x + U_r h)     z = sigmoid(W_z x + U_z h)
//   hbar = tanh(W x + U (r h))     h' = (1 - z) h + z hbar
//
// each product with a bias of its own. (functions::n_step_gru computes other
// units.)
class GRUBase : public Chain {
 public:
  Child<Linear> W_r;  // in_size to out_size
  Child<Linear> U_r;  // out_size to out_size
  Child<Linear> W_z;
  Child<Linear> U_z;
  Child<Linear> W;
  Child<Linear> U;

  int64_t state_size() const { return state_size_; }

 protected:
  GRUBase(std::optional<int64_t> in_size, int64_t out_size,
          const GRUOptions& options);
  // h' for a state that may be undefined, which stands for zeros without the
  // biases of U.
  Variable step(const Variable& h, const Variable& x);

 private:
  int64_t state_size_;
};

// Gated recurrent units whose state is an argument.
class StatelessGRU : public GRUBase {
 public:
  // Without in_size, the weights of x are made at the first call. ValueError
  // when a size is not positive.
  StatelessGRU(std::optional<int64_t> in_size, int64_t out_size,
               const GRUOptions& options = {});

  // h is (B, out_size), x (B, in_size). Returns h'. InvalidType when sizes do
  // not agree.
  Variable forward(const Variable& h, const Variable& x) { return step(h, x); }
  Variable operator()(const Variable& h, const Variable& x) {
    return call_link(*this, h, x);
  }
};

// Gated recurrent units that keep their state from call to call. It is not
// saved.
class StatefulGRU : public GRUBase {
 public:
  // As StatelessGRU.
  StatefulGRU(std::optional<int64_t> in_size, int64_t out_size,
              const GRUOptions& options = {});

  // One step; updates and returns h. InvalidType when sizes do not agree.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  // Forgets the state.
  void reset_state() { h = Variable(); }
  // Takes over a state, which is moved to the link's device.
  void set_state(const Variable& h);

  Variable h;  // (B, out_size); undefined before the first call

 protected:
  void move_state(Device device) override;
};

// Stateful, as in Chainer from version 2 on; in version 1 it was StatelessGRU.
class GRU : public StatefulGRU {
 public:
  using StatefulGRU::StatefulGRU;
  Variable operator()(const Variable& x) { return call_link(*this, x); }
};

}  // namespace catena::links
