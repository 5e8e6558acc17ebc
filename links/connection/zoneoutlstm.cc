#include "catena/links/connection/zoneoutlstm.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/lstm.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/zoneout.h"
#include "catena/links/connection/positive_sizes.h"
#include "catena/links/connection/recurrent_state.h"

namespace catena::links {
namespace {

double ratio(std::string_view name, double value) {
  if (!(value >= 0 && value <= 1)) {
    raise<ValueError>("StatefulZoneoutLSTM: expected ", name,
                      " in [0, 1], got ", value);
  }
  return value;
}

}  // namespace

StatefulZoneoutLSTM::StatefulZoneoutLSTM(
    int64_t in_size, int64_t out_size,
    const StatefulZoneoutLSTMOptions& options)
    : upward(this, "upward", in_size,
             4 * check_positive("StatefulZoneoutLSTM", "out_size", out_size)),
      lateral(this, "lateral", out_size, 4 * out_size,
              LinearOptions{.nobias = true}),
      c_ratio(ratio("c_ratio", options.c_ratio)),
      h_ratio(ratio("h_ratio", options.h_ratio)) {}

Variable StatefulZoneoutLSTM::forward(const Variable& x) {
  Variable gates = upward(x);
  if (h.defined()) gates += lateral(h);
  const int64_t units = gates.shape()[1] / 4;
  const Variable c_before = state_or_zeros(c, gates, units);
  const Variable h_before = state_or_zeros(h, gates, units);
  const auto [c_next, h_next] = functions::lstm(c_before, gates);
  c = functions::zoneout(c_before, c_next, {.ratio = c_ratio});
  h = functions::zoneout(h_before, h_next, {.ratio = h_ratio});
  return h;
}

void StatefulZoneoutLSTM::reset_state() {
  c = Variable();
  h = Variable();
}

void StatefulZoneoutLSTM::set_state(const Variable& c, const Variable& h) {
  this->c = state_on(c, device());
  this->h = state_on(h, device());
}

void StatefulZoneoutLSTM::visit_state(const StateVisitor& visit) {
  visit(c);
  visit(h);
}

}  // namespace catena::links
