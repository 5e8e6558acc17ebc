#pragma once

#include <compare>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/axis.h"
#include "catena/array/user_kernel/compile_error.h"

namespace catena::array {

struct ReductionKernelOptions {
  NamedFieldsOnly keywords = {};
  // The C++ type of intermediate values, at most 64 bytes; by default that of
  // the first output.
  std::string reduce_type = {};
  // Whether to merge axes that one loop can walk in all arrays.
  bool reduce_dims = true;
  std::string preamble = {};  // as in ElementwiseKernelOptions
  std::vector<std::string> options = {};

  friend auto operator<=>(const ReductionKernelOptions&,
                          const ReductionKernelOptions&) = default;
};

struct ReductionCallOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};
  // Keep the reduced axes with extent 1.
  bool keepdims = false;
};

// A user-defined reduction whose parts are C++ expressions, compiled like those
// of ElementwiseKernel:
//
//   ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0",
//                          "l2norm");
//   Array norms = l2norm({x}, {.axis = 1});
//
// map_expr maps each element of the broadcast inputs to a value; reduce_expr
// combines two values `a` and `b`; post_map_expr assigns the outputs from the
// reduced value `a`; `identity` is the neutral value of reduce_expr. Values are
// not combined in array order, but in the same order for a given shape, with
// any number of threads. `_j` (and `i`) in map_expr is the element's index in C
// order in the broadcast inputs, `_i` (and `i`) in post_map_expr that of the
// output. They index raw inputs correctly for any axes (in CuPy only if the
// reduced axes come first).
class ReductionKernel {
 public:
  // Throws ValueError as ElementwiseKernel does, and when the identity is empty
  // or an output is raw.
  ReductionKernel(std::string_view in_params, std::string_view out_params,
                  std::string map_expr, std::string reduce_expr,
                  std::string post_map_expr, std::string identity,
                  std::string name = "reduce_kernel",
                  ReductionKernelOptions options = {});

  // Calls the kernel with inputs, or inputs and outputs, and returns the
  // output. Its shape is that of the broadcast inputs without the reduced axes;
  // over no elements the result is that of the identity. Throws as
  // ElementwiseKernel does, and IndexError for an axis out of range.
  template <class... Args>
  requires(std::convertible_to<Args&&, Operand>&&...) Array operator()(
      Args&&... args) const {
    return one({Operand(std::forward<Args>(args))...}, {});
  }
  Array operator()(std::initializer_list<Operand> args,
                   const ReductionCallOptions& options) const {
    return one(args, options);
  }
  template <class = void>
  Array operator()(std::initializer_list<Operand> args,
                   const AxisSet& axis) const {
    return one(args, {.axis = axis});
  }

  // Return all outputs.
  std::vector<Array> call(std::initializer_list<Operand> args,
                          const ReductionCallOptions& options = {}) const {
    return call(std::span(args.begin(), args.size()), options);
  }
  template <class = void>
  std::vector<Array> call(std::initializer_list<Operand> args,
                          const AxisSet& axis) const {
    return call(args, {.axis = axis});
  }
  std::vector<Array> call(std::span<const Operand> args,
                          const ReductionCallOptions& options = {}) const;

  // As ElementwiseKernel::start_compiling.
  template <class... Args>
  requires(std::convertible_to<Args&&, Operand>&&...) void start_compiling(
      Args&&... args) const {
    start_compiling({Operand(std::forward<Args>(args))...}, {});
  }
  void start_compiling(std::initializer_list<Operand> args,
                       const ReductionCallOptions& options) const;

  const std::string& name() const;
  std::string in_params() const;
  std::string out_params() const;

 private:
  struct Body;
  enum class Step { kStartCompiling, kRun };
  std::vector<Array> call_until(Step step, std::span<const Operand> args,
                                const ReductionCallOptions& options) const;
  Array one(std::initializer_list<Operand> args,
            const ReductionCallOptions& options) const;

  std::shared_ptr<Body> body_;
};

// A kernel with these arguments, created once per process (until clear_memo).
ReductionKernel reduce(std::string_view in_params, std::string_view out_params,
                       std::string_view map_expr, std::string_view reduce_expr,
                       std::string_view post_map_expr,
                       std::string_view identity, std::string_view name,
                       const ReductionKernelOptions& options = {});

}  // namespace catena::array
