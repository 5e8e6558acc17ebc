#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/call_timer.h"

namespace catena::function_hooks {

// Measures how long functions take in forward and backward; on a GPU it
// synchronizes with the device before and after each.
//
//   TimerHook timer;
//   {
//     const FunctionHookScope scope(timer);
//     model(x).backward();
//   }
//   timer.print_report();
class TimerHook : public FunctionHook {
 public:
  std::string_view name() const override { return "TimerHook"; }

  // See CallTimer.
  using Summary = CallTimer::Summary;
  const std::vector<std::pair<std::string, double>>& call_history() const {
    return timer_.call_history();
  }
  double total_time() const { return timer_.total_time(); }
  std::vector<Summary> summary() const { return timer_.summary(); }
  // Writes the summary as a table; `os` defaults to std::cout.
  void print_report(std::ostream& os) const;
  void print_report() const;

  void forward_preprocess(const FunctionNode& function,
                          const Arrays& inputs) override;
  void forward_postprocess(const FunctionNode& function,
                           const Arrays& inputs) override;
  void backward_preprocess(const FunctionNode& function,
                           const Variables& grad_outputs) override;
  void backward_postprocess(const FunctionNode& function,
                            const Variables& grad_outputs) override;

 private:
  CallTimer timer_;
};

}  // namespace catena::function_hooks
