#include "catena/links/connection/peephole.h"

#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/math/operators.h"
#include "catena/links/connection/positive_sizes.h"
#include "catena/links/connection/recurrent_state.h"

namespace catena::links {

using functions::sigmoid;
using functions::tanh;

StatefulPeepholeLSTM::StatefulPeepholeLSTM(int64_t in_size, int64_t out_size)
    : upward(this, "upward", in_size,
             4 * check_positive("StatefulPeepholeLSTM", "out_size", out_size)),
      lateral(this, "lateral", out_size, 4 * out_size,
              LinearOptions{.nobias = true}),
      peep_i(this, "peep_i", out_size, out_size, LinearOptions{.nobias = true}),
      peep_f(this, "peep_f", out_size, out_size, LinearOptions{.nobias = true}),
      peep_o(this, "peep_o", out_size, out_size,
             LinearOptions{.nobias = true}) {}

Variable StatefulPeepholeLSTM::forward(const Variable& x) {
  Variable sources = upward(x);
  if (h.defined()) sources += lateral(h);
  const int64_t rows = sources.shape()[0];
  const int64_t units = sources.shape()[1] / 4;
  const Variable before = state_or_zeros(c, sources, units);
  const Variable gates = functions::reshape(sources, {rows, units, 4});
  const auto gate = [&](int k) {
    return functions::get_item(gates, {Slice(), Slice(), k});
  };
  c = tanh(gate(0)) * sigmoid(gate(1) + peep_i(before)) +
      sigmoid(gate(2) + peep_f(before)) * before;
  h = sigmoid(gate(3) + peep_o(c)) * tanh(c);
  return h;
}

void StatefulPeepholeLSTM::reset_state() {
  c = Variable();
  h = Variable();
}

void StatefulPeepholeLSTM::set_state(const Variable& c, const Variable& h) {
  this->c = state_on(c, device());
  this->h = state_on(h, device());
}

void StatefulPeepholeLSTM::visit_state(const StateVisitor& visit) {
  visit(c);
  visit(h);
}

}  // namespace catena::links
