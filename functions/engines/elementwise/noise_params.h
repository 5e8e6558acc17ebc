#pragma once

namespace catena::functions {

// The parameters of a rule whose last input is an array that the function draws
// at random unless the caller gives it. It is an input, so not an option.
struct NoiseParams {
  bool is_drawn;

  bool repeats() const { return !is_drawn; }
  template <class Visit>
  void visit_options(Visit /*visit*/) const {}
};

}  // namespace catena::functions
