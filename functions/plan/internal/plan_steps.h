#pragma once

#include <functional>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "catena/array/array.h"
#include "catena/functions/plan/internal/trace.h"
#include "catena/functions/plan/plan_options.h"

namespace catena::functions {

// Weights in the layout of their step.
struct PackedWeights {
  std::vector<int> leaves;     // what they are computed from
  std::function<void()> pack;  // computes them
};

// Memory of intermediate results, within one block that all slots share.
struct Slot {
  int64_t bytes = 0;
  int first = 0;  // the steps that use it
  int last = 0;
  int64_t offset = 0;
};

// An argument of a primitive.
struct StepArgument {
  enum class Source {
    kSlot,    // number: of the slot
    kArray,   // number: of the value, which is an array in C order
    kResult,  // number: of the value, which becomes a new array
    kFixed,   // memory that stays where it is
  };
  int id = 0;  // DNNL_ARG_..., of a primitive
  Source source;
  int number = -1;
  dnnl::memory::desc desc = {};
  dnnl::memory memory = {};
  Shape shape = {};  // of a kernel's
};

// One pass: a oneDNN primitive, a kernel, or a call of a function node.
struct Step {
  PlanStep description;
  // A primitive with its arguments ...
  dnnl::primitive primitive = {};
  std::vector<StepArgument> arguments = {};
  // ... or a kernel of ours on the arguments, arrays in C order: slots of
  // float32, arrays and results ...
  std::function<void(std::span<const Array>)> kernel = nullptr;
  // ... or a call.
  const TracedCall* call = nullptr;
  // Arrays that no later step reads.
  std::vector<int> released = {};
  // Bound by StepList::finish.
  std::unordered_map<int, dnnl::memory> bound = {};
  std::vector<Array> arrays = {};  // of a kernel
};

// The steps of a plan with the memory that they share.
class StepList {
 public:
  int size() const { return static_cast<int>(steps_.size()); }
  const std::vector<Step>& steps() const { return steps_; }
  std::vector<PackedWeights>& packed() { return packed_; }

  int add_slot(int64_t bytes);
  void add(Step step);
  // Adds a primitive's scratchpad to its arguments.
  void add_scratchpad(Step& step, const dnnl::memory::desc& scratchpad);
  // Memory that lives as long as the list.
  dnnl::memory fixed(const dnnl::memory::desc& desc);

  // Assigns the memory. `is_kept` says which values' arrays outlive the steps.
  void finish(const TracedGraph& graph);

  // `arrays` holds the inputs, and afterwards the outputs.
  void run(const TracedGraph& graph, std::vector<Array>& arrays, bool measures);

 private:
  void assign_offsets();
  Array array_of(const StepArgument& argument) const;

  std::vector<Step> steps_;
  std::vector<Slot> slots_;
  std::vector<PackedWeights> packed_;
  std::vector<Array> memory_;
  Array arena_;
};

}  // namespace catena::functions
