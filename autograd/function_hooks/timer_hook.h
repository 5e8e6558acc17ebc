#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "catena/autograd/function_hook.h"

namespace catena::function_hooks {

// Measures how long functions take, forward and backward; on a GPU it waits
// for the device before and after each.
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

  // The label and the seconds of each call, in the order in which they ended.
  // A function that applies others has their time in its own.
  const std::vector<std::pair<std::string, double>>& call_history() const {
    return call_history_;
  }
  // Seconds in functions, those within others counted once.
  double total_time() const { return total_time_; }

  struct Summary {
    std::string name;
    double elapsed_time;  // seconds
    int64_t occurrence;
  };
  // The sums by label, in the order of the first call.
  std::vector<Summary> summary() const;
  // Writes the summary as a table, to std::cout unless said.
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
  using Clock = std::chrono::steady_clock;

  struct Call {
    const FunctionNode* function;
    Clock::time_point start;
    double total_before;
  };

  void start(const FunctionNode& function);
  void stop(const FunctionNode& function);

  std::vector<std::pair<std::string, double>> call_history_;
  double total_time_ = 0;
  std::vector<Call> running_;
};

}  // namespace catena::function_hooks
