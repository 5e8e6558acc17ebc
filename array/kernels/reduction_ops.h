#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"

// The functors of the reduction table (reduction_table.h). Each is written once
// for scalars, the CPU's vector lanes and CUDA. For elements of storage type T
// (computed in Compute<T>: float for the two 16-bit floats) a functor has
//
//   Value<T>   the result of map and the operands of combine
//   State<T>   the accumulator over a long range, wider where it pays; a Value
//              converts to it
//   Result<T>  the storage type of the result
//   identity<V>()       the identity of combine, as a Value or State
//   map<T>(x, i)        the Value of the element at index i of the range
//   combine(a, b)       two Values or two States; associative and
//                       commutative up to rounding
//   finish<R>(s, count) optional: the result of storage type R, as Compute<R>;
//                       without it the state, converted
//   map_value(x)        optional: map for lanes too; maps the identity to
//                       itself. Without it lanes of floats are not mapped
//   AccumulatesAs<T>    optional: a functor that has the same states
//
// kIndexed functors use the index; kHasIdentity: whether an empty range has a
// result.
namespace catena::array {

template <class T>
inline constexpr bool kIsSmallFloat =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <class T>
using ComputeOf = std::conditional_t<kIsSmallFloat<T>, float, T>;

template <class T>
inline constexpr bool kIsFloatStorage =
    kIsSmallFloat<T> || std::is_floating_point_v<T>;

namespace internal {

// int64, uint64, or the compute type of the floats.
template <class T>
using SumValue = std::conditional_t<
    kIsFloatStorage<T>, ComputeOf<T>,
    std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>,
                       uint64_t, int64_t>>;
template <class T>
using SumState = std::conditional_t<kIsFloatStorage<T>, double, SumValue<T>>;

// Base class of reductions that ignore the index.
template <bool has_identity>
struct PlainReduction {
  static constexpr bool kIndexed = false;
  static constexpr bool kHasIdentity = has_identity;
};

}  // namespace internal

// The result of storage type R, as ComputeOf<R>, of a range of `count` elements
// that has this state.
template <class Op, class R, class S>
CATENA_HOST_DEVICE ComputeOf<R> finish_reduction(const S& state,
                                                 int64_t count) {
  if constexpr (requires { Op::template finish<R>(state, count); }) {
    return Op::template finish<R>(state, count);
  } else {
    return static_cast<ComputeOf<R>>(state);
  }
}

// Integers wrap around in 64 bits.
struct SumOp : internal::PlainReduction<true> {
  static constexpr std::string_view kName = "sum";
  static constexpr bool kIgnoresSign64 = true;
  template <class T>
  using Value = internal::SumValue<T>;
  template <class T>
  using State = internal::SumState<T>;
  template <class T>
  using Result = std::conditional_t<kIsFloatStorage<T>, T, Value<T>>;

  template <class V>
  static CATENA_HOST_DEVICE V identity() {
    return V(0);
  }
  template <class T>
  static CATENA_HOST_DEVICE Value<T> map(ComputeOf<T> x, int64_t) {
    return static_cast<Value<T>>(x);
  }
  template <class V>
  static CATENA_HOST_DEVICE V combine(V a, V b) {
    return AddOp()(a, b);
  }
};

// Floats are accumulated in double.
struct SumOfSquaresOp : SumOp {
  static constexpr std::string_view kName = "sum_of_squares";
  template <class T>
  using Result = double;

  template <class V>
  static CATENA_HOST_DEVICE V map_value(V x) {
    return MultiplyOp()(x, x);
  }
  template <class T>
  static CATENA_HOST_DEVICE Value<T> map(ComputeOf<T> x, int64_t) {
    return map_value(x);
  }
};

struct ProdOp : internal::PlainReduction<true> {
  static constexpr std::string_view kName = "prod";
  static constexpr bool kIgnoresSign64 = true;
  template <class T>
  using Value = internal::SumValue<T>;
  template <class T>
  using State = internal::SumState<T>;
  template <class T>
  using Result = SumOp::Result<T>;

  template <class V>
  static CATENA_HOST_DEVICE V identity() {
    return V(1);
  }
  template <class T>
  static CATENA_HOST_DEVICE Value<T> map(ComputeOf<T> x, int64_t) {
    return static_cast<Value<T>>(x);
  }
  template <class V>
  static CATENA_HOST_DEVICE V combine(V a, V b) {
    return MultiplyOp()(a, b);
  }
};

// Integers and bool are averaged in double.
struct MeanOp : internal::PlainReduction<true> {
  static constexpr std::string_view kName = "mean";
  static constexpr bool kBoolIsByte = true;
  template <class T>
  using Value = std::conditional_t<kIsFloatStorage<T>, ComputeOf<T>, double>;
  template <class T>
  using State = double;
  template <class T>
  using Result = std::conditional_t<kIsFloatStorage<T>, T, double>;
  template <class T>
  using AccumulatesAs = std::conditional_t<kIsFloatStorage<T>, SumOp, MeanOp>;

  template <class V>
  static CATENA_HOST_DEVICE V identity() {
    return V(0);
  }
  template <class T>
  static CATENA_HOST_DEVICE Value<T> map(ComputeOf<T> x, int64_t) {
    return static_cast<Value<T>>(x);
  }
  template <class V>
  static CATENA_HOST_DEVICE V combine(V a, V b) {
    return a + b;
  }
  // NaN for an empty range.
  template <class R>
  static CATENA_HOST_DEVICE ComputeOf<R> finish(double s, int64_t count) {
    return static_cast<ComputeOf<R>>(s / static_cast<double>(count));
  }
};

// The number of values, their mean and the sum of squared deviations from it.
struct Moments {
  double count;
  double mean;
  double deviations;
};

// The sum of squared deviations from the mean, in double for every dtype: the
// numerator of var and std. Ranges are combined by Chan's formula, which stays
// accurate when the mean is large compared to the deviations.
struct SquaredDeviationsOp : internal::PlainReduction<true> {
  static constexpr std::string_view kName = "var";
  static constexpr bool kBoolIsByte = true;
  template <class T>
  using Value = Moments;
  template <class T>
  using State = Moments;
  template <class T>
  using Result = double;

  template <class V>
  static CATENA_HOST_DEVICE Moments identity() {
    return {0, 0, 0};
  }
  template <class T>
  static CATENA_HOST_DEVICE Moments map(ComputeOf<T> x, int64_t) {
    return {1, static_cast<double>(x), 0};
  }
  static CATENA_HOST_DEVICE Moments combine(Moments a, Moments b) {
    const double count = a.count + b.count;
    const double share = count > 0 ? b.count / count : 0;
    const double distance = b.mean - a.mean;
    return {
        count, a.mean + distance * share,
        a.deviations + b.deviations + distance * distance * a.count * share};
  }
  template <class R>
  static CATENA_HOST_DEVICE double finish(Moments s, int64_t) {
    return s.deviations;
  }
};

// NaN if any element is NaN.
template <class Order>
struct ExtremeOp : internal::PlainReduction<false> {
  static constexpr std::string_view kName = Order::kName;
  static constexpr bool kBoolIsByte = true;
  template <class T>
  using Value = ComputeOf<T>;
  template <class T>
  using State = ComputeOf<T>;
  template <class T>
  using Result = T;

  template <class V>
  static CATENA_HOST_DEVICE V identity() {
    return Order::template worst<V>();
  }
  template <class T>
  static CATENA_HOST_DEVICE Value<T> map(ComputeOf<T> x, int64_t) {
    return x;
  }
  template <class V>
  static CATENA_HOST_DEVICE V combine(V a, V b) {
    return typename Order::Choice()(a, b);
  }
};

// The orders of ExtremeOp and ArgExtremeOp.
struct LargestFirst {
  static constexpr std::string_view kName = "max";
  static constexpr std::string_view kArgName = "argmax";
  using Choice = MaximumOp;
  template <class V>
  static CATENA_HOST_DEVICE V worst() {
    if constexpr (std::is_floating_point_v<V>) {
      return -std::numeric_limits<V>::infinity();
    } else {
      return std::numeric_limits<V>::lowest();
    }
  }
  template <class V>
  static CATENA_HOST_DEVICE auto is_better(V a, V b) {
    return a > b;
  }
};

struct SmallestFirst {
  static constexpr std::string_view kName = "min";
  static constexpr std::string_view kArgName = "argmin";
  using Choice = MinimumOp;
  template <class V>
  static CATENA_HOST_DEVICE V worst() {
    if constexpr (std::is_floating_point_v<V>) {
      return std::numeric_limits<V>::infinity();
    } else {
      return std::numeric_limits<V>::max();
    }
  }
  template <class V>
  static CATENA_HOST_DEVICE auto is_better(V a, V b) {
    return a < b;
  }
};

using MaxOp = ExtremeOp<LargestFirst>;
using MinOp = ExtremeOp<SmallestFirst>;

// An element and its index.
template <class V>
struct Indexed {
  V value;
  int64_t index;
};

// The index of the first extreme element, or of the first NaN if there is one.
template <class OrderType>
struct ArgExtremeOp {
  using Order = OrderType;
  static constexpr std::string_view kName = Order::kArgName;
  static constexpr bool kBoolIsByte = true;
  static constexpr bool kIndexed = true;
  static constexpr bool kHasIdentity = false;
  template <class T>
  using Value = Indexed<ComputeOf<T>>;
  template <class T>
  using State = Indexed<ComputeOf<T>>;
  template <class T>
  using Result = int64_t;

  template <class I>
  static CATENA_HOST_DEVICE I identity() {
    return {Order::template worst<decltype(I::value)>(),
            std::numeric_limits<int64_t>::max()};
  }
  template <class T>
  static CATENA_HOST_DEVICE Value<T> map(ComputeOf<T> x, int64_t i) {
    return {x, i};
  }
  template <class V>
  static CATENA_HOST_DEVICE Indexed<V> combine(Indexed<V> a, Indexed<V> b) {
    const bool a_nan = a.value != a.value;
    const bool b_nan = b.value != b.value;
    const bool equal = a.value == b.value || (a_nan && b_nan);
    const bool takes_a =
        equal ? a.index < b.index
              : a_nan || (!b_nan && Order::is_better(a.value, b.value));
    return takes_a ? a : b;
  }
  template <class R, class V>
  static CATENA_HOST_DEVICE int64_t finish(Indexed<V> s, int64_t) {
    return s.index;
  }
};

using ArgMaxOp = ArgExtremeOp<LargestFirst>;
using ArgMinOp = ArgExtremeOp<SmallestFirst>;

namespace internal {

// Reductions of truth values: nonzero is true, including NaN.
template <class V, class R>
struct TruthReduction : PlainReduction<true> {
  template <class T>
  using Value = V;
  template <class T>
  using State = V;
  template <class T>
  using Result = R;

  template <class T>
  static CATENA_HOST_DEVICE V map(ComputeOf<T> x, int64_t) {
    return static_cast<V>(x != ComputeOf<T>(0));
  }
};

}  // namespace internal

struct AllOp : internal::TruthReduction<uint8_t, bool> {
  static constexpr std::string_view kName = "all";
  static constexpr bool kIgnoresSign = true;
  template <class V>
  static CATENA_HOST_DEVICE V identity() {
    return 1;
  }
  static CATENA_HOST_DEVICE uint8_t combine(uint8_t a, uint8_t b) {
    return a & b;
  }
};

struct AnyOp : internal::TruthReduction<uint8_t, bool> {
  static constexpr std::string_view kName = "any";
  static constexpr bool kIgnoresSign = true;
  template <class V>
  static CATENA_HOST_DEVICE V identity() {
    return 0;
  }
  static CATENA_HOST_DEVICE uint8_t combine(uint8_t a, uint8_t b) {
    return a | b;
  }
};

struct CountNonzeroOp : internal::TruthReduction<int64_t, int64_t> {
  static constexpr std::string_view kName = "count_nonzero";
  static constexpr bool kIgnoresSign = true;
  static constexpr bool kBoolIsByte = true;
  template <class V>
  static CATENA_HOST_DEVICE int64_t identity() {
    return 0;
  }
  static CATENA_HOST_DEVICE int64_t combine(int64_t a, int64_t b) {
    return a + b;
  }
};

}  // namespace catena::array
