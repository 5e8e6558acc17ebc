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

// How long calls take, by name: what TimerHook of functions and of links share.
class CallTimer {
 public:
  // The name and the seconds of each call, in the order in which they ended. A
  // call that makes others has their time in its own.
  const std::vector<std::pair<std::string, double>>& call_history() const {
    return call_history_;
  }
  // Seconds in calls, those within others counted once.
  double total_time() const { return total_time_; }

  struct Summary {
    std::string name;
    double elapsed_time;  // seconds
    int64_t occurrence;
  };
  // The sums by name, in the order of the first call.
  std::vector<Summary> summary() const;
  // Writes the summary as a table; `title` stands over the names.
  void print_report(std::ostream& os, std::string_view title) const;

  // A call begins; a call ends.
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
