#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "catena/array/array.h"
#include "catena/array/axis.h"
#include "catena/array/core/error.h"
#include "catena/array/core/host_device.h"
#include "catena/array/core/parallel.h"
#include "catena/array/reduction/reduction.h"

// Elementwise functions and reductions from C++ lambdas, on native devices,
// without run-time compilation. For CUDA see cuda/functor_kernels.cuh, which
// callers must compile with nvcc.
namespace catena::array {

namespace internal {

// The parameter and result types of a callable or a function type.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A>
struct Signature<R(A...)> {
  using Result = R;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
};
template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> : Signature<R(A...)> {};
template <class F, class R, class... A>
struct Signature<R (F::*)(A...)> : Signature<R(A...)> {};

// Throws NotImplementedError naming the operation unless the device is native.
void check_native(Device device, std::string_view operation);

// The checks of reduce() below. Returns the axes to reduce, normalized, and the
// shape of the result.
struct FunctorReduction {
  Axes axes;
  Shape shape;
};
FunctorReduction settle_functor_reduction(const Array& x, Dtype dtype,
                                          const AxisSet& axis, bool keepdims);

// A type-erased functor: runs over n elements of contiguous operands, the
// inputs and then the output.
struct ErasedFunctor {
  void (*run)(char* const* data, int64_t n, const void* functor,
              bool non_temporal);
  const void* functor;
  std::span<const Dtype> inputs;
  Dtype output;
};

// Checks as elementwise() below specifies, then runs the loops.
Array run_elementwise_functor(std::span<const Operand> args,
                              const ErasedFunctor& functor);

template <class F, class Out, class... In>
struct FunctorRow {
  template <size_t... k>
  static void run(char* const* data, int64_t n, const F& f,
                  std::index_sequence<k...>) {
    Out* const out = reinterpret_cast<Out*>(data[sizeof...(In)]);
    CATENA_IVDEP
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<Out>(f(reinterpret_cast<const In*>(data[k])[i]...));
    }
  }
  static void run_erased(char* const* data, int64_t n, const void* f,
                         bool /*non_temporal*/) {
    run(data, n, *static_cast<const F*>(f), std::index_sequence_for<In...>());
  }
};

template <class Out, class F, class... In>
Array run_functor(const F& f, std::span<const Operand> args,
                  std::tuple<In...>*) {
  static_assert((Element<In> && ...) && Element<Out>,
                "a functor takes and gives elements of arrays");
  static_assert(sizeof...(In) <= 7, "a functor takes at most 7 elements");
  constexpr std::array<Dtype, sizeof...(In)> kDtypes = {dtype_of<In>...};
  return run_elementwise_functor(args, {FunctorRow<F, Out, In...>::run_erased,
                                        &f, kDtypes, dtype_of<Out>});
}

}  // namespace internal

// y = f(a, b, ...), elementwise with broadcasting:
//
//   Array z = elementwise([](float x, float y) { return x * y + 1; }, x, 2);
//
// The functor's types determine the dtypes: arrays must have the dtypes of its
// parameters, numbers are cast to them, and the result has that of its return
// type. A generic lambda needs elementwise<float(float, float)>(f, x, y). It is
// called by several threads in any order. Throws ValueError for a wrong number
// of arguments, DtypeError, ShapeError and DeviceError for mismatched arrays,
// NotImplementedError on a device that is not native.
template <class FunctionType, class F, class... Args>
requires std::is_function_v<FunctionType> Array
elementwise(const F& f, const Args&... args) {
  using Types = internal::Signature<FunctionType>;
  const std::array<Operand, sizeof...(Args)> list = {Operand(args)...};
  return internal::run_functor<typename Types::Result>(
      f, list, static_cast<typename Types::Arguments*>(nullptr));
}
template <class F, class... Args>
requires requires { &F::operator(); }
Array elementwise(const F& f, const Args&... args) {
  using Types = internal::Signature<F>;
  const std::array<Operand, sizeof...(Args)> list = {Operand(args)...};
  return internal::run_functor<typename Types::Result>(
      f, list, static_cast<typename Types::Arguments*>(nullptr));
}

struct FunctorReduceOptions {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};
  bool keepdims = false;
};

// Reduces axes of x by a binary functor, starting with `identity`:
//
//   Array y = reduce([](double a, double b) { return a + b; }, 0.0, x);
//
// `map`, if given, is first applied to each element. x must have the dtype of
// map's parameter, else of A; the result has that of A, the type of identity.
// Values are combined in memory order, each output by one thread, so the result
// does not depend on the number of threads. Throws DtypeError, IndexError, and
// NotImplementedError on a device that is not native.
template <class Reduce, class A, class Map>
requires(std::is_invocable_r_v<A, const Reduce&, A, A> &&
         !std::convertible_to<const Map&, AxisSet>) Array
    reduce(const Reduce& combine, A identity, const Array& x, const Map& map,
           const FunctorReduceOptions& options = {}) {
  using T =
      std::tuple_element_t<0, typename internal::Signature<Map>::Arguments>;
  const internal::FunctorReduction plan = internal::settle_functor_reduction(
      x, dtype_of<T>, options.axis, options.keepdims);
  const Array out = empty(plan.shape, dtype_of<A>, x.device());
  ReduceArgs args;
  plan_reduction(x, plan.axes, out, /*ordered=*/false, args);
  // Loop over the innermost reduced axis; compute offsets for the others.
  const ReduceArgs::Reduced inner = args.reduced[args.nreduced - 1];
  const int64_t rows = inner.extent == 0 ? 0 : args.count / inner.extent;
  const int64_t grain = 1 + 16384 / (1 + args.count);
  catena::cpu::parallel_for(
      args.outputs, grain, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) {
          const char* from = args.input;
          char* to = args.output;
          int64_t rest = o;
          for (int axis = args.nkept - 1; axis >= 0; --axis) {
            const ReduceArgs::Kept& kept = args.kept[axis];
            from += rest % kept.extent * kept.in_stride;
            to += rest % kept.extent * kept.out_stride;
            rest /= kept.extent;
          }
          A sum = identity;
          for (int64_t row = 0; row < rows; ++row) {
            const char* element = from;
            int64_t place = row;
            for (int axis = args.nreduced - 2; axis >= 0; --axis) {
              element += place % args.reduced[axis].extent *
                         args.reduced[axis].in_stride;
              place /= args.reduced[axis].extent;
            }
            for (int64_t i = 0; i < inner.extent; ++i) {
              sum = combine(sum, map(*reinterpret_cast<const T*>(
                                     element + i * inner.in_stride)));
            }
          }
          *reinterpret_cast<A*>(to) = sum;
        }
      });
  return out;
}
template <class Reduce, class A>
requires std::is_invocable_r_v<A, const Reduce&, A, A> Array
reduce(const Reduce& combine, A identity, const Array& x,
       const FunctorReduceOptions& options = {}) {
  return reduce(
      combine, identity, x, [](A value) { return value; }, options);
}
// With the axis alone.
template <class Reduce, class A, class Map, std::convertible_to<AxisSet> T>
requires std::is_invocable_r_v<A, const Reduce&, A, A> Array
reduce(const Reduce& combine, A identity, const Array& x, const Map& map,
       const T& axis) {
  return reduce(combine, identity, x, map, FunctorReduceOptions{.axis = axis});
}
template <class Reduce, class A, std::convertible_to<AxisSet> T>
requires std::is_invocable_r_v<A, const Reduce&, A, A> Array
reduce(const Reduce& combine, A identity, const Array& x, const T& axis) {
  return reduce(combine, identity, x, FunctorReduceOptions{.axis = axis});
}

}  // namespace catena::array
