#include "catena/autograd/function_hooks/timer_hook.h"

#include <algorithm>
#include <charconv>
#include <iostream>

#include "catena/array/device.h"
#include "catena/autograd/function_node.h"

namespace catena::function_hooks {
namespace {

void wait_for(const Arrays& arrays) {
  if (!arrays.empty()) synchronize(arrays[0].device());
}

void wait_for(const Variables& variables) {
  for (const Variable& variable : variables) {
    if (!variable.defined()) continue;
    synchronize(variable.device());
    return;
  }
}

std::string text_of_seconds(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1, "sec"}, {1e-3, "ms"}, {1e-6, "us"}};
  const Unit* unit = std::ranges::find_if(
      kUnits, [&](const Unit& u) { return seconds >= u.size; });
  constexpr Unit kSmallest = {1e-9, "ns"};
  if (unit == std::end(kUnits)) unit = &kSmallest;
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof(text), seconds / unit->size,
                    std::chars_format::fixed, 2);
  return std::string(text, end.ptr) + unit->name;
}

// The text with spaces in front up to `width`.
std::string padded(std::string_view text, size_t width) {
  const size_t missing = width - std::min(width, text.size());
  return std::string(missing, ' ').append(text);
}

}  // namespace

void TimerHook::start(const FunctionNode& function) {
  running_.push_back({&function, Clock::now(), total_time_});
}

void TimerHook::stop(const FunctionNode& function) {
  const Clock::time_point now = Clock::now();
  // What lies above has ended by an exception.
  while (!running_.empty() && running_.back().function != &function) {
    running_.pop_back();
  }
  if (running_.empty()) return;  // it began before the hook came into force
  const Call call = running_.back();
  running_.pop_back();
  const double seconds =
      std::chrono::duration<double>(now - call.start).count();
  call_history_.emplace_back(function.label(), seconds);
  total_time_ = call.total_before + seconds;
}

void TimerHook::forward_preprocess(const FunctionNode& function,
                                   const Arrays& inputs) {
  wait_for(inputs);
  start(function);
}

void TimerHook::forward_postprocess(const FunctionNode& function,
                                    const Arrays& inputs) {
  wait_for(inputs);
  stop(function);
}

void TimerHook::backward_preprocess(const FunctionNode& function,
                                    const Variables& grad_outputs) {
  wait_for(grad_outputs);
  start(function);
}

void TimerHook::backward_postprocess(const FunctionNode& function,
                                     const Variables& grad_outputs) {
  wait_for(grad_outputs);
  stop(function);
}

std::vector<TimerHook::Summary> TimerHook::summary() const {
  std::vector<Summary> entries;
  for (const auto& [name, seconds] : call_history_) {
    auto entry = std::ranges::find(entries, name, &Summary::name);
    if (entry == entries.end()) {
      entries.push_back({name, 0, 0});
      entry = std::prev(entries.end());
    }
    entry->elapsed_time += seconds;
    ++entry->occurrence;
  }
  return entries;
}

void TimerHook::print_report(std::ostream& os) const {
  const std::vector<Summary> entries = summary();
  constexpr std::string_view kTitles[] = {"FunctionName", "ElapsedTime",
                                          "Occurrence"};
  size_t width = kTitles[0].size();
  for (const Summary& entry : entries) {
    width = std::max(width, entry.name.size());
  }
  const auto line = [&](std::string_view name, std::string_view time,
                        std::string_view count) {
    os << padded(name, width) << "  " << padded(time, kTitles[1].size()) << "  "
       << padded(count, kTitles[2].size()) << '\n';
  };
  line(kTitles[0], kTitles[1], kTitles[2]);
  for (const Summary& entry : entries) {
    line(entry.name, text_of_seconds(entry.elapsed_time),
         std::to_string(entry.occurrence));
  }
}

void TimerHook::print_report() const { print_report(std::cout); }

}  // namespace catena::function_hooks
