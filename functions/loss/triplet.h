#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct TripletOptions {
  NamedFieldsOnly keywords = {};
  double margin = 0.2;
  // "mean" over the triplets, or "no" for the loss of each triplet.
  std::string_view reduce = "mean";
};

// The triplet loss, 0 where an anchor a is closer to its positive p than to its
// negative n by a margin (J. Wang et al., 2014), for each row:
//
//   loss = max(|a - p|^2 - |a - n|^2 + margin, 0).
//
// All are (N, K), of the same floating dtype, else InvalidType. Throws
// ValueError unless margin is positive, and for an unknown `reduce`.
Variable triplet(const Variable& anchor, const Variable& positive,
                 const Variable& negative, const TripletOptions& options = {});

}  // namespace catena::functions
