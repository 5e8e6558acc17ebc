#pragma once

#include <compare>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/compile_error.h"

namespace catena::array {

struct ElementwiseKernelOptions {
  NamedFieldsOnly keywords = {};
  // Whether to merge axes that one loop can walk in all arrays. Otherwise
  // `_ind.get()` and raw arrays have the axes of the caller's arrays.
  bool reduce_dims = true;
  // Code before the kernel function, for example helper functions (`__device__`
  // is ignored on the CPU). May use the placeholders.
  std::string preamble = {};
  // Code before and after the loop, run by every thread.
  std::string loop_prep = {};
  std::string after_loop = {};
  // Additional compiler arguments.
  std::vector<std::string> options = {};

  friend auto operator<=>(const ElementwiseKernelOptions&,
                          const ElementwiseKernelOptions&) = default;
};

struct ElementwiseCallOptions {
  NamedFieldsOnly keywords = {};
  // The number of loop iterations; required if all arrays are raw, else an
  // error.
  std::optional<int64_t> size = std::nullopt;
};

// A user-defined elementwise kernel with a loop body in C++. It is compiled on
// first use, by NVRTC on CUDA and by the host compiler on the CPU, and cached
// on disk (see README.md in this folder):
//
//   ElementwiseKernel squared_diff("T x, T y", "T z",
//                                  "z = (x - y) * (x - y)", "squared_diff");
//   Array z = squared_diff(x, 5);
//
// kernel_params.h has the grammar of parameters. A letter is a placeholder for
// a dtype, deduced from the arrays, outputs first; numbers take the dtype of
// their parameter. Arrays broadcast; omitted outputs are allocated. In the loop
// body a parameter is an element; a raw parameter is the whole array (y[k] in C
// order, y[{...}] with one index per axis, y.size()). `i` is the element's
// index in C order, `n` and `_ind.size()` the loop size, `_ind.get()` the index
// along each axis. An input that overlaps an output with a different layout is
// copied first. Elements are processed in any order by several threads: raw
// outputs need atomicAdd etc., and the code must not `return`.
class ElementwiseKernel {
 public:
  // Throws ValueError when a parameter does not match the grammar, a name is
  // not an identifier, or there is no output. The code is not checked until it
  // is compiled.
  ElementwiseKernel(std::string_view in_params, std::string_view out_params,
                    std::string operation, std::string name = "kernel",
                    ElementwiseKernelOptions options = {});

  // Calls the kernel with inputs, or inputs and outputs, each an array or a
  // number, and returns the output. Errors name the kernel and the parameter.
  // Throws ValueError for a wrong number of arguments, an unknown loop size, a
  // size given with arrays that are not raw, an output that is a broadcast
  // view, or several outputs; DtypeError, ShapeError and DeviceError for
  // mismatched arrays; InvalidType for a number as an output or raw array;
  // CompileError; NotImplementedError without a compiler.
  template <class... Args>
  requires(std::convertible_to<Args&&, Operand>&&...) Array operator()(
      Args&&... args) const {
    return one({Operand(std::forward<Args>(args))...}, {});
  }
  // With options: kernel({x, y}, {.size = 10}).
  Array operator()(std::initializer_list<Operand> args,
                   const ElementwiseCallOptions& options) const {
    return one(args, options);
  }

  // Return all outputs.
  std::vector<Array> call(std::initializer_list<Operand> args,
                          const ElementwiseCallOptions& options = {}) const {
    return call(std::span(args.begin(), args.size()), options);
  }
  std::vector<Array> call(std::span<const Operand> args,
                          const ElementwiseCallOptions& options = {}) const;

  // Starts compiling in the background for calls with such arguments, and
  // returns; a call that needs the result waits. For programs with several
  // kernels, whose compilations then run at the same time:
  //
  //   for (const auto* kernel : {&a, &b, &c}) kernel->start_compiling(x, y);
  //
  // Only dtypes, devices and layouts matter, not values. Throws as a call does,
  // but leaves a CompileError to the call.
  template <class... Args>
  requires(std::convertible_to<Args&&, Operand>&&...) void start_compiling(
      Args&&... args) const {
    start_compiling({Operand(std::forward<Args>(args))...}, {});
  }
  void start_compiling(std::initializer_list<Operand> args,
                       const ElementwiseCallOptions& options) const;

  const std::string& name() const;
  // The parameters as normalized text: "raw T x, float32 y".
  std::string in_params() const;
  std::string out_params() const;
  const std::string& operation() const;
  const ElementwiseKernelOptions& options() const;

 private:
  struct Body;
  enum class Step { kStartCompiling, kRun };
  std::vector<Array> call_until(Step step, std::span<const Operand> args,
                                const ElementwiseCallOptions& options) const;
  Array one(std::initializer_list<Operand> args,
            const ElementwiseCallOptions& options) const;

  std::shared_ptr<Body> body_;
};

// A kernel with these arguments, created once per process (until clear_memo).
ElementwiseKernel elementwise(std::string_view in_params,
                              std::string_view out_params,
                              std::string_view operation, std::string_view name,
                              const ElementwiseKernelOptions& options = {});

}  // namespace catena::array
