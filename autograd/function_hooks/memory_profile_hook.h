#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/nested_calls.h"

namespace catena::function_hooks {

// Measures the memory that functions use in forward and backward: the bytes
// they allocate for arrays, including temporaries, and the bytes by which the
// CPU and CUDA memory pools grow.
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

  // One call; calls are listed in the order they ended. Nested calls count
  // towards the outer call's bytes too.
  struct Call {
    std::string name;
    int64_t used_bytes;
    int64_t acquired_bytes;
  };
  const std::vector<Call>& call_history() const { return call_history_; }
  // Totals; nested calls are counted once.
  int64_t total_used_bytes() const { return total_.used; }
  int64_t total_acquired_bytes() const { return total_.acquired; }

  struct Summary {
    std::string name;
    int64_t used_bytes;
    int64_t acquired_bytes;
    int64_t occurrence;
  };
  // Totals per label, in the order of the first call.
  std::vector<Summary> summary() const;
  // Writes the summary as a table; `os` defaults to std::cout. `unit` is B, KB
  // (1024 B), MB, GB, TB, PB or EB; "auto" picks one per column by its largest
  // value, "auto_foreach" one per value. Throws ValueError for any other unit.
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

// Chainer's name, whose hook measures CUDA only.
using CupyMemoryProfileHook = MemoryProfileHook;

}  // namespace catena::function_hooks
