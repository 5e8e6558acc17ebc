#pragma once

#include <cstdint>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

namespace catena::links {

// Long short-term memory whose gates also see the cell, and which keeps its
// states from call to call. With a, i, f, o = upward(x) + lateral(h), side by
// side for each unit as in functions::lstm,
//
//   c' = tanh(a) sigmoid(i + peep_i c) + sigmoid(f + peep_f c) c
//   h' = sigmoid(o + peep_o c') tanh(c')
//
// (Graves, Generating sequences with recurrent neural networks, 2013.)
class StatefulPeepholeLSTM : public Chain {
 public:
  // ValueError when a size is not positive.
  StatefulPeepholeLSTM(int64_t in_size, int64_t out_size);

  // One step; updates c and h and returns h. InvalidType when sizes do not
  // agree.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  // Forgets the states.
  void reset_state();
  // Takes over states, which are moved to the link's device.
  void set_state(const Variable& c, const Variable& h);

  Child<Linear> upward;   // in_size to 4 out_size, with biases
  Child<Linear> lateral;  // out_size to 4 out_size; no biases from here on
  Child<Linear> peep_i;   // out_size to out_size
  Child<Linear> peep_f;
  Child<Linear> peep_o;
  Variable c;  // (B, out_size); undefined before the first call
  Variable h;

 protected:
  void move_state(Device device) override;
};

}  // namespace catena::links
