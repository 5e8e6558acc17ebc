#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/chain.h"
#include "catena/links/connection/bias.h"

namespace catena::links {

struct ScaleOptions {
  // Where the axes of W lie among those of x.
  int64_t axis = 1;
  // That of W; without it, W is an argument.
  std::optional<Shape> W_shape = std::nullopt;
  // Whether a learned bias is added, of W_shape or, without that, bias_shape.
  bool bias_term = false;
  std::optional<Shape> bias_shape = std::nullopt;
};

// Multiplies by learned factors, or such that are given, along some axes:
// functions::scale.
class Scale : public Chain {
 public:
  // ValueError for a bias without a shape.
  explicit Scale(const ScaleOptions& options = {});

  // The first with factors of the link's own, the second without; ValueError
  // for the other. InvalidType when factors or bias do not fit x.
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);
  Variable operator()(const Variable& x) { return call_link(*this, x); }
  Variable operator()(const Variable& x, const Variable& y) {
    return call_link(*this, x, y);
  }

  Param W;                          // 1 at first; absent without a shape
  std::optional<Child<Bias>> bias;  // with bias_term

 private:
  Variable scaled(const Variable& x, const Variable& factors);

  int64_t axis_;
};

}  // namespace catena::links
