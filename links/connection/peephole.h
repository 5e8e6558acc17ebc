#pragma once

#include <cstdint>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

namespace catena::links {

// An LSTM layer with peephole connections, which keeps its states between
// calls. With a, i, f, o = upward(x) + lateral(h), next to each other for each
// unit as in functions::lstm,
//
//   c' = tanh(a) sigmoid(i + peep_i c) + sigmoid(f + peep_f c) c
//   h' = sigmoid(o + peep_o c') tanh(c')
//
// (Graves, Generating sequences with recurrent neural networks, 2013.)
class StatefulPeepholeLSTM : public Chain<StatefulPeepholeLSTM> {
 public:
  // Throws ValueError when a size is not positive.
  StatefulPeepholeLSTM(int64_t in_size, int64_t out_size);

  // One step; updates c and h and returns h. Throws InvalidType when sizes do
  // not match.
  Variable forward(const Variable& x);

  // Clears the states.
  void reset_state();
  // Sets the states, moved to the link's device.
  void set_state(const Variable& c, const Variable& h);

  Child<Linear> upward;   // in_size to 4 out_size, with biases
  Child<Linear> lateral;  // out_size to 4 out_size; no biases, like peep_*
  Child<Linear> peep_i;   // out_size to out_size
  Child<Linear> peep_f;
  Child<Linear> peep_o;
  Variable c;  // (B, out_size); undefined before the first call
  Variable h;

 protected:
  void visit_state(const StateVisitor& visit) override;
};

}  // namespace catena::links
