#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "catena/functions/plan/internal/plan_steps.h"
#include "catena/functions/plan/internal/trace.h"

namespace catena::functions {

// Where the values of a graph lie while it is lowered: in arrays of C order, or
// in slots in layouts of oneDNN. Adds the steps that turn them.
class ValuePlaces {
 public:
  ValuePlaces(const TracedGraph& graph, StepList& steps);

  bool has_array(int value) const { return has_array_[value]; }
  bool is_in_slot(int value) const { return !places_[value].empty(); }
  // The first layout in which a value lies, or C order.
  dnnl::memory::desc layout_of(int value) const;

  // The value as an argument where it lies, or in a layout, reordered if
  // necessary.
  StepArgument argument(int id, int value) const;
  StepArgument argument_in(int id, int value, const dnnl::memory::desc& wanted);
  // Makes the value an array.
  void to_array(int value);

  // The value will be an array ...
  void set_array(int value) { has_array_[value] = true; }
  // ... or in a new slot, the argument that is returned.
  StepArgument new_slot(int id, int value, const dnnl::memory::desc& desc);

  // Counts a use of a value by a step.
  void use(int value) { --remaining_[value]; }
  // Uses a residual: its memory becomes that of the sum y, the argument that is
  // returned, unless other steps read it later.
  StepArgument add_to_residual(int residual, int y,
                               const dnnl::memory::desc& desc);

 private:
  // A slot in a layout.
  struct Place {
    int slot;
    dnnl::memory::desc desc;
  };

  dnnl::memory::desc plain(int value) const;
  static StepArgument in_place(int id, const Place& place);
  Step reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to,
               int value) const;
  Place reordered_copy(int value, const dnnl::memory::desc& wanted);

  const TracedGraph& graph_;
  StepList& steps_;
  std::vector<std::vector<Place>> places_;  // by value
  std::vector<char> has_array_;
  std::vector<int> remaining_;  // uses by calls not yet lowered
};

}  // namespace catena::functions
