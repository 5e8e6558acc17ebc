#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/chain.h"
#include "catena/links/connection/bias.h"

namespace catena::links {

struct ScaleOptions {
  NamedFieldsOnly keywords = {};
  // The axis of x that W's first axis corresponds to.
  int64_t axis = 1;
  // The shape of W. Without it, W is an argument of the call.
  std::optional<Shape> W_shape = std::nullopt;
  // Whether to add a learned bias, of shape W_shape or else bias_shape.
  bool bias_term = false;
  std::optional<Shape> bias_shape = std::nullopt;
};

// Multiplies by factors, learned or passed as an argument, along some axes
// (functions::scale).
class Scale : public Chain<Scale> {
 public:
  using Options = ScaleOptions;

  // Throws ValueError for a bias without a shape.
  explicit Scale(const ScaleOptions& options = {});

  // Call the first if the link has learned factors, the second if not; the
  // other one throws ValueError. Throws InvalidType when factors or bias do not
  // match x.
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);

  Param W;                          // initially 1; absent without a shape
  std::optional<Child<Bias>> bias;  // with bias_term

 private:
  Variable scaled(const Variable& x, const Variable& factors);

  int64_t axis_;
};

}  // namespace catena::links
