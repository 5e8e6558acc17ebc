#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "catena/autograd/variable.h"

// Gradient checkpointing: trades computing time for memory.
namespace catena::functions {

// A function of variables that forget() can compute again.
using ForgettableFunction = std::function<Variables(const Variables&)>;

// Computes func(xs) without keeping intermediate results (gradient
// checkpointing). Backward calls func again on the same inputs and propagates
// through that graph; gradients reach the inputs and the parameters that func
// uses. Only the inputs are kept in between.
//
// func runs twice and must compute the same both times. Random numbers, as of
// dropout, are the same: the second call draws what the first one drew, and
// leaves the generators alone, as if func had run once; config().train is that
// of the first call, and config().in_recomputing is set. States that calls
// change, such as running statistics, change twice.
//
// Nothing is recorded unless one of the xs requires a gradient, so without one
// parameters get no gradient either. Throws GradientError when the gradients
// are differentiated; ValueError when func returns an undefined variable, or a
// different number of variables or random numbers the second time. (Chen et
// al., Training deep nets with sublinear memory cost, 2016.)
Variables forget(ForgettableFunction func, std::span<const Variable> xs);

// forget() for a function that takes separate Variables and returns one or a
// range of them:
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
