#include "catena/links/connection/gru.h"

#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/math/operators.h"
#include "catena/links/connection/positive_sizes.h"
#include "catena/links/connection/recurrent_state.h"

namespace catena::links {
namespace {

LinearOptions linear_options(const Initializer& initialW,
                             const GRUOptions& options) {
  return {.initialW = initialW, .initial_bias = options.bias_init};
}

}  // namespace

GRUBase::GRUBase(std::optional<int64_t> in_size, int64_t out_size,
                 const GRUOptions& options)
    : W_r(this, "W_r", in_size, check_positive("GRU", "out_size", out_size),
          linear_options(options.init, options)),
      U_r(this, "U_r", out_size, out_size,
          linear_options(options.inner_init, options)),
      W_z(this, "W_z", in_size, out_size,
          linear_options(options.init, options)),
      U_z(this, "U_z", out_size, out_size,
          linear_options(options.inner_init, options)),
      W(this, "W", in_size, out_size, linear_options(options.init, options)),
      U(this, "U", out_size, out_size,
        linear_options(options.inner_init, options)),
      state_size_(out_size) {}

Variable GRUBase::step(const Variable& h, const Variable& x) {
  if (!h.defined()) {
    return functions::sigmoid(W_z(x)) * functions::tanh(W(x));
  }
  const Variable r = functions::sigmoid(W_r(x) + U_r(h));
  const Variable z = functions::sigmoid(W_z(x) + U_z(h));
  const Variable hbar = functions::tanh(W(x) + U(r * h));
  return h + z * (hbar - h);
}

StatelessGRU::StatelessGRU(std::optional<int64_t> in_size, int64_t out_size,
                           const GRUOptions& options)
    : Callable(in_size, out_size, options) {}

StatefulGRU::StatefulGRU(std::optional<int64_t> in_size, int64_t out_size,
                         const GRUOptions& options)
    : Callable(in_size, out_size, options) {}

Variable StatefulGRU::forward(const Variable& x) {
  h = step(h, x);
  return h;
}

void StatefulGRU::set_state(const Variable& h) {
  this->h = state_on(h, device());
}

void StatefulGRU::visit_state(const StateVisitor& visit) { visit(h); }

}  // namespace catena::links
