#include "catena/links/connection/mgu.h"

#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/math/operators.h"
#include "catena/links/connection/positive_sizes.h"
#include "catena/links/connection/recurrent_state.h"

namespace catena::links {

MGUBase::MGUBase(int64_t n_inputs, int64_t n_units)
    : W_f(this, "W_f",
          check_positive("MGU", "n_inputs", n_inputs) +
              check_positive("MGU", "n_units", n_units),
          n_units),
      W_h(this, "W_h", n_inputs + n_units, n_units),
      units_(n_units) {}

Variable MGUBase::step(const Variable& h, const Variable& x) {
  const Variable f = functions::sigmoid(W_f(functions::concat({h, x})));
  const Variable hbar = functions::tanh(W_h(functions::concat({f * h, x})));
  return h + f * (hbar - h);
}

Variable StatefulMGU::forward(const Variable& x) {
  h = step(state_or_zeros(h, x, units()), x);
  return h;
}

void StatefulMGU::set_state(const Variable& h) {
  this->h = state_on(h, device());
}

void StatefulMGU::visit_state(const StateVisitor& visit) { visit(h); }

}  // namespace catena::links
