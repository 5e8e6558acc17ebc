#pragma once

#include <cstdint>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

namespace catena::links {

struct StatefulZoneoutLSTMOptions {
  NamedFieldsOnly keywords = {};
  // The probabilities that an element of c and h keeps its old value.
  double c_ratio = 0.5;
  double h_ratio = 0.5;
};

// An LSTM layer with zoneout, which keeps its states between calls: c', h' =
// lstm(c, upward(x) + lateral(h)), then c = zoneout(c, c') and h = zoneout(h,
// h') (functions::zoneout; Krueger et al., Zoneout, 2016).
class StatefulZoneoutLSTM : public Chain<StatefulZoneoutLSTM> {
 public:
  using Options = StatefulZoneoutLSTMOptions;

  // Throws ValueError when a size is not positive or a ratio not in [0, 1].
  StatefulZoneoutLSTM(int64_t in_size, int64_t out_size,
                      const StatefulZoneoutLSTMOptions& options = {});

  // One step; updates c and h and returns h. Throws InvalidType when sizes do
  // not match.
  Variable forward(const Variable& x);

  // Clears the states.
  void reset_state();
  // Sets the states, moved to the link's device.
  void set_state(const Variable& c, const Variable& h);

  Child<Linear> upward;   // in_size to 4 out_size, with biases
  Child<Linear> lateral;  // out_size to 4 out_size, no biases
  double c_ratio;
  double h_ratio;
  Variable c;  // (B, out_size); undefined before the first call
  Variable h;

 protected:
  void visit_state(const StateVisitor& visit) override;
};

}  // namespace catena::links
