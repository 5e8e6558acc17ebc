#pragma once

#include <cstdint>
#include <functional>

#include "catena/functions/activation/relu.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

struct HighwayOptions {
  NamedFieldsOnly keywords = {};
  bool nobias = false;
  std::function<Variable(const Variable&)> activate = functions::relu;
  // Initial values of W for the plain path and for the gate.
  Initializer init_Wh = initializers::LeCunNormal();
  Initializer init_Wt = initializers::LeCunNormal();
  Initializer init_bh = 0.0;
  // Negative, so that initially most of x passes through.
  Initializer init_bt = -1.0;
};

// A fully connected layer with a gated shortcut: y = t h + (1 - t) x, where h =
// activate(plain(x)) and the gate t = sigmoid(transform(x)). (Srivastava et
// al., 2015.)
class Highway : public Chain<Highway> {
 public:
  using Options = HighwayOptions;

  // Throws ValueError when the size is not positive.
  explicit Highway(int64_t in_out_size, const HighwayOptions& options = {});

  // x and y are (N, in_out_size).
  Variable forward(const Variable& x);

  Child<Linear> plain;
  Child<Linear> transform;

 private:
  std::function<Variable(const Variable&)> activate_;
};

}  // namespace catena::links
