#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

struct GRUOptions {
  NamedFieldsOnly keywords = {};
  Initializer init = initializers::LeCunNormal();        // for W_r, W_z, W
  Initializer inner_init = initializers::LeCunNormal();  // for U_r, U_z, U
  Initializer bias_init = initializers::Constant(0);
};

// Base of the gated recurrent units:
//
//   r = sigmoid(W_r x + U_r h)     z = sigmoid(W_z x + U_z h)
//   hbar = tanh(W x + U (r h))     h' = (1 - z) h + z hbar
//
// where each product has its own bias. (functions::n_step_gru uses different
// formulas.)
class GRUBase : public ChainBase {
 public:
  using Options = GRUOptions;

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
  // Computes h'. An undefined h counts as zeros, without the biases of U.
  Variable step(const Variable& h, const Variable& x);

 private:
  int64_t state_size_;
};

// A gated recurrent unit (GRU) layer whose state is an argument.
class StatelessGRU : public Callable<StatelessGRU, GRUBase> {
 public:
  // Without in_size, the weights of x are initialized at the first call. Throws
  // ValueError when a size is not positive.
  StatelessGRU(std::optional<int64_t> in_size, int64_t out_size,
               const GRUOptions& options = {});

  // h is (B, out_size), x (B, in_size). Returns h'. Throws InvalidType when
  // sizes do not match.
  Variable forward(const Variable& h, const Variable& x) { return step(h, x); }
  Variable operator()(const Variable& h, const Variable& x) {
    return call_link(*this, h, x);
  }
};

// A gated recurrent unit (GRU) layer that keeps its state between calls. The
// state is not serialized.
class StatefulGRU : public Callable<StatefulGRU, GRUBase> {
 public:
  // Same arguments as StatelessGRU.
  StatefulGRU(std::optional<int64_t> in_size, int64_t out_size,
              const GRUOptions& options = {});

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

// StatefulGRU under its name since Chainer 2; in Chainer 1, GRU was
// StatelessGRU.
class GRU : public Callable<GRU, StatefulGRU> {
 public:
  GRU(std::optional<int64_t> in_size, int64_t out_size,
      const GRUOptions& options = {})
      : Callable(in_size, out_size, options) {}
};

}  // namespace catena::links
