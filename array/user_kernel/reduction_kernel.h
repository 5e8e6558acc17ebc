#pragma once

#include <compare>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/compile_error.h"

namespace catena::array {

struct ReductionKernelOptions {
  // The C++ type of the values in between, at most 64 bytes; defaults to
  // that of the first output.
  std::string reduce_type = {};
  // Whether axes that all arrays walk as one are merged for the loops.
  bool reduce_dims = true;
  std::string preamble = {};  // as in ElementwiseKernelOptions
  std::vector<std::string> options = {};

  friend auto operator<=>(const ReductionKernelOptions&,
                          const ReductionKernelOptions&) = default;
};

struct ReductionCallOptions {
  // The axes to reduce; all when absent. An empty list reduces none.
  std::optional<Axes> axes = std::nullopt;
  // Keeps them with extent 1.
  bool keepdims = false;
};

// A reduction of arrays whose parts are expressions in C++, compiled as those
// of ElementwiseKernel are:
//
//   ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0",
//                          "l2norm");
//   Array norms = l2norm({x}, {.axes = Axes{1}});
//
// map_expr gives a value for each element of the inputs, which broadcast;
// reduce_expr gives one from two, `a` and `b`; post_map_expr assigns the
// outputs from the last one, `a`; `identity` is the value that changes none.
// The order in which values are combined is not the arrays', but always the
// same for a shape, on any number of threads. In map_expr `_j` (and `i`) is the
// element's position in the broadcast inputs in C order, in post_map_expr `_i`
// (and `i`) that of the output; raw inputs are indexed with them, whatever the
// axes (in CuPy the reduced axes have to be the first).
class ReductionKernel {
 public:
  // ValueError as ElementwiseKernel; also when the identity is empty or an
  // output is raw.
  ReductionKernel(std::string_view in_params, std::string_view out_params,
                  std::string map_expr, std::string reduce_expr,
                  std::string post_map_expr, std::string identity,
                  std::string name = "reduce_kernel",
                  ReductionKernelOptions options = {});

  // The output for the inputs, or inputs and outputs. The shape is that of the
  // broadcast inputs without the reduced axes; of no element the result is that
  // of the identity. Errors as ElementwiseKernel's; IndexError on an axis out
  // of range.
  template <class... Args>
  requires(std::convertible_to<Args&&, Operand>&&...) Array operator()(
      Args&&... args) const {
    return one({Operand(std::forward<Args>(args))...}, {});
  }
  Array operator()(std::initializer_list<Operand> args,
                   const ReductionCallOptions& options) const {
    return one(args, options);
  }

  // All outputs.
  std::vector<Array> call(std::initializer_list<Operand> args,
                          const ReductionCallOptions& options = {}) const {
    return call(std::span(args.begin(), args.size()), options);
  }
  std::vector<Array> call(std::span<const Operand> args,
                          const ReductionCallOptions& options = {}) const;

  const std::string& name() const;
  std::string in_params() const;
  std::string out_params() const;

 private:
  struct Body;
  Array one(std::initializer_list<Operand> args,
            const ReductionCallOptions& options) const;

  std::shared_ptr<Body> body_;
};

// The kernel of these texts, made once a process (until clear_memo).
ReductionKernel reduce(std::string_view in_params, std::string_view out_params,
                       std::string_view map_expr, std::string_view reduce_expr,
                       std::string_view post_map_expr,
                       std::string_view identity, std::string_view name,
                       const ReductionKernelOptions& options = {});

}  // namespace catena::array
