#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/autograd/function_hooks/nested_calls.h"

namespace catena::function_hooks {

// Measures how long calls take, by name. Shared by the TimerHooks of functions
// and links.
class CallTimer {
 public:
  // Name and duration in seconds of each call, in the order they ended. Nested
  // calls count towards the outer call's time too.
  const std::vector<std::pair<std::string, double>>& call_history() const {
    return call_history_;
  }
  // Total seconds; nested calls are counted once.
  double total_time() const { return total_time_; }

  struct Summary {
    std::string name;
    double elapsed_time;  // seconds
    int64_t occurrence;
  };
  // Totals per name, in the order of the first call.
  std::vector<Summary> summary() const;
  // Writes the summary as a table; `title` heads the name column.
  void print_report(std::ostream& os, std::string_view title) const;

  // Marks the beginning and the end of a call.
  void start(const void* what);
  void stop(const void* what, std::string_view name);

 private:
  using Clock = std::chrono::steady_clock;

  struct Call {
    Clock::time_point start;
    double total_before;
  };

  std::vector<std::pair<std::string, double>> call_history_;
  double total_time_ = 0;
  NestedCalls<Call> running_;
};

}  // namespace catena::function_hooks
