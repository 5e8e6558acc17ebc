#pragma once

#include <cstdint>

#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/initializers/initializers.h"

namespace catena::examples {

// A recurrent network as a language model: from the words so far, one at a
// time, it tells the next. The states of its LSTMs remember what came before.
class RNNForLM : public Chain<RNNForLM> {
 public:
  RNNForLM(int64_t n_vocab, int64_t n_units)
      : embed(this, "embed", n_vocab, n_units),
        l1(this, "l1", n_units, n_units),
        l2(this, "l2", n_units, n_units),
        l3(this, "l3", n_units, n_vocab) {
    for (const Parameter& param : params()) {
      initializers::Uniform(0.1)(param.data());
    }
  }

  // x are words, (B,); the result, (B, n_vocab), has the logits of the next
  // ones.
  Variable forward(const Variable& x) {
    const Variable h0 = embed(x);
    const Variable h1 = l1(functions::dropout(h0));
    const Variable h2 = l2(functions::dropout(h1));
    return l3(functions::dropout(h2));
  }

  void reset_state() {
    l1->reset_state();
    l2->reset_state();
  }

 private:
  Child<links::EmbedID> embed;
  Child<links::LSTM> l1, l2;
  Child<links::Linear> l3;
};

}  // namespace catena::examples
