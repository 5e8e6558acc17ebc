#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/nested_calls.h"

namespace catena::function_hooks {

// Measures the memory that functions take, forward and backward: the bytes of
// the arrays they make, those they free again included, and the bytes by which
// the memory pools, the CPU's and CUDA's, grow meanwhile.
//
//   MemoryProfileHook memory;
//   {
//     const FunctionHookScope scope(memory);
//     model(x).backward();
//   }
//   memory.print_report();
class MemoryProfileHook : public FunctionHook {
 public:
  std::string_view name() const override { return "MemoryProfileHook"; }

  // Each call, in the order in which they ended. A function that applies others
  // has their bytes in its own.
  struct Call {
    std::string name;
    int64_t used_bytes;
    int64_t acquired_bytes;
  };
  const std::vector<Call>& call_history() const { return call_history_; }
  // Those of functions within others counted once.
  int64_t total_used_bytes() const { return total_.used; }
  int64_t total_acquired_bytes() const { return total_.acquired; }

  struct Summary {
    std::string name;
    int64_t used_bytes;
    int64_t acquired_bytes;
    int64_t occurrence;
  };
  // The sums by label, in the order of the first call.
  std::vector<Summary> summary() const;
  // Writes the summary as a table; `os` defaults to std::cout. `unit` is B, KB
  // (1024 B), MB, GB, TB, PB, EB; "auto", which fits the largest number of a
  // column; or "auto_foreach", which fits each number. ValueError for another.
  void print_report(std::ostream& os, std::string_view unit = "auto") const;
  void print_report(std::string_view unit = "auto") const;

  void forward_preprocess(const FunctionNode& function,
                          const Arrays& inputs) override;
  void forward_postprocess(const FunctionNode& function,
                           const Arrays& inputs) override;
  void backward_preprocess(const FunctionNode& function,
                           const Variables& grad_outputs) override;
  void backward_postprocess(const FunctionNode& function,
                            const Variables& grad_outputs) override;

 private:
  struct Bytes {
    int64_t used;
    int64_t acquired;
  };
  struct Start {
    Bytes bytes;
    Bytes total_before;
  };

  static Bytes bytes_now();
  void start(const FunctionNode& function);
  void stop(const FunctionNode& function);

  std::vector<Call> call_history_;
  Bytes total_ = {};
  NestedCalls<Start> running_;
};

// Chainer's name, which means CUDA alone.
using CupyMemoryProfileHook = MemoryProfileHook;

}  // namespace catena::function_hooks
