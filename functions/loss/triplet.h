#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct TripletOptions {
  double margin = 0.2;
  // "mean" for one number, "no" for the loss of each triplet.
  std::string_view reduce = "mean";
};

// Asks that an anchor a be nearer to its positive p than to its negative n (J.
// Wang et al., 2014), by rows:
//
//   loss = max(|a - p|^2 - |a - n|^2 + margin, 0).
//
// All are (N, K), floating and of one dtype, else InvalidType. ValueError
// unless margin is positive, and for another `reduce`.
Variable triplet(const Variable& anchor, const Variable& positive,
                 const Variable& negative, const TripletOptions& options = {});

}  // namespace catena::functions
