#include "catena/functions/plan/internal/plan_steps.h"

#include <algorithm>
#include <chrono>

#include "catena/array/core/error.h"
#include "catena/array/onednn/operation.h"
#include "catena/array/onednn/primitive.h"

namespace catena::functions {
namespace {

namespace onednn = cpu::onednn;
using Source = StepArgument::Source;

constexpr int64_t kAlignment = 64;

Array bytes_of_memory(int64_t bytes) {
  return array::empty({std::max<int64_t>(bytes, 1)}, Dtype::kUInt8,
                      native_device());
}

dnnl::stream& stream() {
  thread_local dnnl::stream stream(onednn::engine());
  return stream;
}

// An argument that is an array in C order.
Array array_in_c_order(const TracedGraph& graph, int value,
                       const std::vector<Array>& arrays) {
  return graph.array(value, arrays).contiguous();
}

Array new_result(const TracedGraph& graph, int value) {
  const TracedValue& v = graph.values[value];
  return array::empty(v.shape, v.dtype, v.device);
}

void run_primitive(const TracedGraph& graph, Step& step,
                   std::vector<Array>& arrays) {
  absl::InlinedVector<Array, 4> held;
  for (const StepArgument& argument : step.arguments) {
    if (argument.source == Source::kArray) {
      held.push_back(array_in_c_order(graph, argument.number, arrays));
      step.bound.at(argument.id).set_data_handle(held.back().raw_data());
    } else if (argument.source == Source::kResult) {
      arrays[argument.number] = new_result(graph, argument.number);
      step.bound.at(argument.id)
          .set_data_handle(arrays[argument.number].raw_data());
    }
  }
  step.primitive.execute(stream(), step.bound);
}

void run_kernel(const TracedGraph& graph, Step& step,
                std::vector<Array>& arrays) {
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const StepArgument& argument = step.arguments[i];
    if (argument.source == Source::kArray) {
      step.arrays[i] = array_in_c_order(graph, argument.number, arrays);
    } else if (argument.source == Source::kResult) {
      step.arrays[i] = arrays[argument.number] =
          new_result(graph, argument.number);
    }
  }
  step.kernel(step.arrays);
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    if (step.arguments[i].source != Source::kSlot) step.arrays[i] = Array();
  }
}

}  // namespace

int StepList::add_slot(int64_t bytes) {
  slots_.push_back({.bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment,
                    .first = size(),
                    .last = size()});
  return static_cast<int>(slots_.size()) - 1;
}

void StepList::add(Step step) {
  for (const StepArgument& argument : step.arguments) {
    if (argument.source == Source::kSlot) {
      slots_[argument.number].last = size();
    }
  }
  steps_.push_back(std::move(step));
}

void StepList::add_scratchpad(Step& step,
                              const dnnl::memory::desc& scratchpad) {
  if (scratchpad.get_size() == 0) return;
  step.arguments.push_back(
      {.id = DNNL_ARG_SCRATCHPAD,
       .source = Source::kSlot,
       .number = add_slot(static_cast<int64_t>(scratchpad.get_size())),
       .desc = scratchpad});
}

dnnl::memory StepList::fixed(const dnnl::memory::desc& desc) {
  memory_.push_back(bytes_of_memory(static_cast<int64_t>(desc.get_size())));
  return {desc, onednn::engine(), memory_.back().raw_data()};
}

// Large slots first, each at the lowest place that is free while it is used.
void StepList::assign_offsets() {
  std::vector<Slot*> order;
  for (Slot& slot : slots_) order.push_back(&slot);
  std::ranges::stable_sort(order, std::greater(), &Slot::bytes);
  std::vector<const Slot*> placed;  // by offset
  int64_t total = 0;
  for (Slot* const slot : order) {
    int64_t offset = 0;
    for (const Slot* const other : placed) {
      const bool overlaps =
          other->first <= slot->last && slot->first <= other->last;
      if (!overlaps || other->offset + other->bytes <= offset) continue;
      if (other->offset >= offset + slot->bytes) break;
      offset = other->offset + other->bytes;
    }
    slot->offset = offset;
    total = std::max(total, offset + slot->bytes);
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &Slot::offset),
                  slot);
  }
  arena_ = bytes_of_memory(total);
}

// A slot as a kernel's argument; others are bound by each run.
Array StepList::array_of(const StepArgument& argument) const {
  if (argument.source != Source::kSlot) return {};
  return {arena_.storage(), Dtype::kFloat32, argument.shape,
          contiguous_strides(argument.shape, item_size(Dtype::kFloat32)),
          slots_[argument.number].offset};
}

void StepList::finish(const TracedGraph& graph) {
  assign_offsets();
  ValueUses uses(graph);
  for (int i = 0; i < size(); ++i) {
    Step& step = steps_[i];
    if (step.call != nullptr) uses.add_call(*step.call, i);
    for (const StepArgument& argument : step.arguments) {
      const bool is_value = argument.source == Source::kArray ||
                            argument.source == Source::kResult;
      if (is_value) uses.add(argument.number, i);
    }
    if (step.kernel != nullptr) {
      for (const StepArgument& argument : step.arguments) {
        step.arrays.push_back(array_of(argument));
      }
      continue;
    }
    for (StepArgument& argument : step.arguments) {
      if (argument.source == Source::kFixed) {
        step.bound.emplace(argument.id, argument.memory);
        continue;
      }
      void* const data =
          argument.source == Source::kSlot
              ? arena_.raw_data() + slots_[argument.number].offset
              : nullptr;
      step.bound.emplace(argument.id,
                         dnnl::memory(argument.desc, onednn::engine(), data));
    }
  }
  std::vector<std::vector<int>> released = uses.released(size());
  for (int i = 0; i < size(); ++i) steps_[i].released = std::move(released[i]);
}

void StepList::run(const TracedGraph& graph, std::vector<Array>& arrays,
                   bool measures) {
  using Clock = std::chrono::steady_clock;
  for (Step& step : steps_) {
    const auto start = measures ? Clock::now() : Clock::time_point();
    if (step.call != nullptr) {
      run_call(graph, *step.call, arrays);
    } else if (step.kernel != nullptr) {
      run_kernel(graph, step, arrays);
    } else {
      onednn::with_errors_of(step.description.functions,
                             [&] { run_primitive(graph, step, arrays); });
    }
    for (const int value : step.released) arrays[value] = Array();
    if (measures) {
      step.description.seconds +=
          std::chrono::duration<double>(Clock::now() - start).count();
    }
  }
}

}  // namespace catena::functions
