#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

struct BiasOptions {
  // Where the axes of b lie among those of x.
  int64_t axis = 1;
  // That of b; without it, b is an argument.
  std::optional<Shape> shape = std::nullopt;
};

// Adds a learned bias, or one that is given, along some axes: functions::bias.
class Bias : public Link {
 public:
  explicit Bias(const BiasOptions& options = {});

  // The first with a bias of the link's own, the second without; ValueError for
  // the other. InvalidType when the bias does not fit x.
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);
  Variable operator()(const Variable& x) { return call_link(*this, x); }
  Variable operator()(const Variable& x, const Variable& y) {
    return call_link(*this, x, y);
  }

  Param b;  // 0 at first; absent without a shape

 private:
  int64_t axis_;
};

}  // namespace catena::links
