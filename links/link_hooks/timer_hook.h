#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "catena/autograd/function_hooks/call_timer.h"
#include "catena/links/link_hook.h"

namespace catena::link_hooks {

// Measures how long calls of links take, by class and name ("Linear(l1)"); on a
// GPU it synchronizes with the device before and after each.
//
//   TimerHook timer;
//   {
//     const LinkHookScope scope(timer);
//     model(x);
//   }
//   timer.print_report();
class TimerHook : public LinkHook {
 public:
  std::string_view name() const override { return "TimerHook"; }

  // See CallTimer.
  using Summary = function_hooks::CallTimer::Summary;
  const std::vector<std::pair<std::string, double>>& call_history() const {
    return timer_.call_history();
  }
  double total_time() const { return timer_.total_time(); }
  std::vector<Summary> summary() const { return timer_.summary(); }
  // Writes the summary as a table; `os` defaults to std::cout.
  void print_report(std::ostream& os) const;
  void print_report() const;

  void forward_preprocess(Link& link, const Variables& inputs) override;
  void forward_postprocess(Link& link, const Variables& inputs) override;

 private:
  function_hooks::CallTimer timer_;
};

}  // namespace catena::link_hooks
