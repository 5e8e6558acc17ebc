#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

struct BiasOptions {
  NamedFieldsOnly keywords = {};
  // The axis of x that b's first axis corresponds to.
  int64_t axis = 1;
  // The shape of b. Without it, b is an argument of the call.
  std::optional<Shape> shape = std::nullopt;
};

// Adds a bias, learned or passed as an argument, along some axes
// (functions::bias).
class Bias : public Callable<Bias> {
 public:
  using Options = BiasOptions;

  explicit Bias(const BiasOptions& options = {});

  // Call the first if the link has a learned bias, the second if not; the other
  // one throws ValueError. Throws InvalidType when the bias does not match x.
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);

  Param b;  // initially 0; absent without a shape

 private:
  int64_t axis_;
};

}  // namespace catena::links
