#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "catena/autograd/variable.h"

// Memory for time: a function whose intermediate results are not kept.
namespace catena::functions {

using ForgettableFunction = std::function<Variables(const Variables&)>;

// func(xs), without the graph and the arrays that lead from xs to the results.
// Backward calls func again, on the same inputs, and propagates through that;
// gradients reach the inputs and the parameters that func uses. The inputs are
// all that is kept meanwhile.
//
// func runs twice and must compute the same both times: no random numbers, as
// dropout draws them, and no state that a call changes. Nothing is recorded,
// and so parameters get no gradient either, unless one of the xs requires one.
// GradientError when the gradients are to be differentiated; ValueError when
// func returns an undefined variable, or not as many the second time. (Chen et
// al., Training deep nets with sublinear memory cost, 2016.)
Variables forget(ForgettableFunction func, std::span<const Variable> xs);

// The same for a function of Variables one by one, which returns one or a range
// of them:
//
//   Variable y = forget([&](const Variable& x) { return l2(relu(l1(x))); }, x);
template <class F, std::same_as<Variable>... Xs>
requires(sizeof...(Xs) > 0 &&
         std::invocable<const F&, const Xs&...>) auto forget(F func,
                                                             const Xs&... xs) {
  using Result = std::invoke_result_t<const F&, const Xs&...>;
  const Variable inputs[] = {xs...};
  Variables outputs = forget(
      ForgettableFunction(
          [func = std::move(func)](const Variables& in) -> Variables {
            return [&]<size_t... i>(std::index_sequence<i...>)->Variables {
              if constexpr (std::same_as<Result, Variable>) {
                return {func(in[i]...)};
              } else {
                const Result results = func(in[i]...);
                return Variables(results.begin(), results.end());
              }
            }
            (std::index_sequence_for<Xs...>());
          }),
      std::span<const Variable>(inputs));
  if constexpr (std::same_as<Result, Variable>) {
    return Variable(outputs[0]);
  } else {
    return outputs;
  }
}

}  // namespace catena::functions
