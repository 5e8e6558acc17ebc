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
  // Whether axes that all arrays walk as one are merged for the loop. Without
  // it `_ind.get()` and raw arrays have the axes of the caller's arrays.
  bool reduce_dims = true;
  // Text before the function, where it can declare functions of its own
  // (`__device__` means nothing on the CPU) and use the placeholders.
  std::string preamble = {};
  // Text before and after the loop, run by every thread.
  std::string loop_prep = {};
  std::string after_loop = {};
  // Further arguments for the compiler.
  std::vector<std::string> options = {};

  friend auto operator<=>(const ElementwiseKernelOptions&,
                          const ElementwiseKernelOptions&) = default;
};

struct ElementwiseCallOptions {
  // How many elements the loop has; for kernels whose arrays are all raw, and
  // needed by them.
  std::optional<int64_t> size = std::nullopt;
};

// A function of arrays, elementwise, whose loop body is text in C++, compiled
// when it is first called - by NVRTC on CUDA, by the host's compiler on the
// CPU - and kept on disk for later processes (README.md beside this header):
//
//   ElementwiseKernel squared_diff("T x, T y", "T z",
//                                  "z = (x - y) * (x - y)", "squared_diff");
//   Array z = squared_diff(x, 5);
//
// The parameters' grammar is in kernel_params.h. A letter stands for the dtype
// of the arrays given for it, outputs first; a number beside arrays takes the
// dtype of its parameter. Arrays broadcast; outputs that are not given are
// made. In the text a parameter is an element, of a raw one the whole array
// (y[k] in C order, y[{...}] by one index an axis, y.size()); `i` is the
// element's position in C order, `n` and `_ind.size()` are the loop's size,
// `_ind.get()` is the index along each axis. An input that shares memory with
// an output in another layout is read before anything is written. Elements run
// in any order, on several threads: raw outputs need atomicAdd and the like,
// and the text must not `return`.
class ElementwiseKernel {
 public:
  // ValueError when a parameter is not of the grammar, a name is no identifier
  // or there is no output. The text is not looked at before it is compiled.
  ElementwiseKernel(std::string_view in_params, std::string_view out_params,
                    std::string operation, std::string name = "kernel",
                    ElementwiseKernelOptions options = {});

  // The output for the inputs, or inputs and outputs, each an array or a
  // number. The errors name the kernel and the parameter: ValueError on another
  // number of arguments, a loop of unknown size, a size beside arrays that are
  // not raw, an output that is a broadcast view, or several outputs;
  // DtypeError, ShapeError and DeviceError on arrays that do not fit;
  // InvalidType on a number in place of an output or a raw array; CompileError,
  // which shows the text's own lines; NotImplementedError without a compiler.
  template <class... Args>
  requires(std::convertible_to<Args&&, Operand>&&...) Array operator()(
      Args&&... args) const {
    return one({Operand(std::forward<Args>(args))...}, {});
  }
  // The same with options: kernel({x, y}, {.size = 10}).
  Array operator()(std::initializer_list<Operand> args,
                   const ElementwiseCallOptions& options) const {
    return one(args, options);
  }

  // All outputs.
  std::vector<Array> call(std::initializer_list<Operand> args,
                          const ElementwiseCallOptions& options = {}) const {
    return call(std::span(args.begin(), args.size()), options);
  }
  std::vector<Array> call(std::span<const Operand> args,
                          const ElementwiseCallOptions& options = {}) const;

  const std::string& name() const;
  // The parameters as text, in one spelling: "raw T x, float32 y".
  std::string in_params() const;
  std::string out_params() const;
  const std::string& operation() const;
  const ElementwiseKernelOptions& options() const;

 private:
  struct Body;
  Array one(std::initializer_list<Operand> args,
            const ElementwiseCallOptions& options) const;

  std::shared_ptr<Body> body_;
};

// The kernel of these texts, made once a process (until clear_memo).
ElementwiseKernel elementwise(std::string_view in_params,
                              std::string_view out_params,
                              std::string_view operation, std::string_view name,
                              const ElementwiseKernelOptions& options = {});

}  // namespace catena::array
