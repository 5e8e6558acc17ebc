#pragma once

// CPU row kernels: a functor over contiguous rows, compiled once per
// instruction set.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "catena/array/core/dtype.h"
#include "catena/array/cpu/lanes.h"
#include "catena/functions/engines/rows/row_args.h"
#include "catena/functions/engines/rows/row_exp.h"
#include "catena/functions/engines/rows/row_pass.h"
#include "catena/functions/engines/rows/rows_in_lanes.h"

namespace catena::functions {

// Computes 2^t with t = (x - shift) / ln(2), from one multiply-add where there
// is such an instruction, whose rounding error is as large as that of x -
// shift. Max 2 ULP beyond that.
template <>
struct ShiftedExp<kernels::CATENA_BACKEND::Lanes<float>> {
  using T = kernels::CATENA_BACKEND::Lanes<float>;

  T shift;
  T minus_start;  // -shift / ln(2), rounded

  HWY_INLINE explicit ShiftedExp(T shift)
      : shift(shift), minus_start(-shift * T(kPerLn2)) {}

  HWY_INLINE T operator()(T x) const { return unscaled(scaled(x)); }

  HWY_INLINE T scaled(T x) const {
    using kernels::CATENA_BACKEND::lanes_max;
    using kernels::CATENA_BACKEND::lanes_multiply_add;
    // 2^(n + 64) is normal for every n: only unscaled() makes subnormal
    // numbers.
    const T round(0x1.8p23f + 64);
    // NaN stays NaN.
    const T t = lanes_max(T(-151.0f), steps(x));
    const T n_and_round = t + round;
    const T f = t - (n_and_round - round);
    const T power = kernels::CATENA_BACKEND::lanes_power_of_2(n_and_round);
    // 2^f = 1 + f q(f) for |f| up to 1/2.
    static constexpr float kQ[] = {0x1.62e42ap-1f, 0x1.ebf9b8p-3f,
                                   0x1.c6b760p-5f, 0x1.3cec50p-7f,
                                   0x1.5bb838p-10f};
    const T q = kernels::CATENA_BACKEND::lanes_polynomial(f, kQ);
    return lanes_multiply_add(f * power, q, power);
  }
  static HWY_INLINE T unscaled(T sum) { return sum * T(0x1p-64f); }

  // What rounding minus_start adds to x - shift.
  HWY_INLINE T offset() const {
    const T added = steps(shift);
    // Infinite shifts, whose results are 0 or NaN anyway.
    return lanes_select(added == added, added * T(0.6931471805599453), T(0));
  }

 private:
  static constexpr float kPerLn2 = 1.4426950408889634f;

  // (x - shift) / ln(2).
  HWY_INLINE T steps(T x) const {
    if constexpr (HWY_NATIVE_FMA) {
      return kernels::CATENA_BACKEND::lanes_multiply_add(x, T(kPerLn2),
                                                         minus_start);
    }
    // The product would be rounded as x is, not as the difference is.
    return (x - shift) * T(kPerLn2);
  }
};

}  // namespace catena::functions

namespace catena::kernels::CATENA_BACKEND {

// Where a functor's rows are in memory.
struct RowMemory {
  char* const* operands;
  // A buffer of a row of elements as computed, if the functor needs one.
  void* scratch = nullptr;
  // Whether results are large, and so are best written past the caches.
  bool streams = false;
  // How many of the first inputs are followed by a row worth fetching.
  int followed = 0;
  int64_t chunk = 0;
};

// A functor's view of a row. S is the elements' storage type, E the type
// computed in, and there are `inputs` inputs. Functions passed to members get
// an element of each input, as lanes here and as E on CUDA; Value is one or the
// other, holding one value for the whole row.
template <class S, int inputs>
class Row {
 public:
  using Stored = S;
  using Element = typename LaneMemory<S>::E;
  using Value = Lanes<Element>;
  static constexpr bool kIsOne = true;

  HWY_INLINE Row(const RowMemory& memory, int64_t length, int64_t index)
      : length_(length),
        index_(index),
        chunk_(memory.chunk),
        scratch_(static_cast<Element*>(memory.scratch)),
        followed_(memory.followed),
        streams_(memory.streams) {
    for (int k = 0; k < inputs; ++k) {
      in_[k] = reinterpret_cast<const S*>(memory.operands[k]);
    }
  }
  HWY_INLINE void set_output(char* data) { out_ = reinterpret_cast<S*>(data); }

  int64_t length() const { return length_; }
  // Whether computing elements twice is faster than keeping them.
  bool is_long() const {
    constexpr int64_t kMaxKeptBytes = 64 << 10;
    return length_ * static_cast<int64_t>(sizeof(Element)) > kMaxKeptBytes;
  }
  // The index of the row.
  int64_t index() const { return index_; }

  // The maximum and the sum of f over the row. The maximum may ignore NaN,
  // which takes a quarter of the time of a check.
  template <class F>
  HWY_INLINE Value max(F f) const {
    return fold(Value(-std::numeric_limits<Element>::infinity()), f,
                [](Value a, Value b) HWY_ATTR { return lanes_max(a, b); });
  }
  template <class F>
  HWY_INLINE Value sum(F f) const {
    return fold(Value(0), f, [](Value a, Value b) { return a + b; });
  }

  // The sums of f and g, in one pass.
  template <class F, class G>
  HWY_INLINE functions::RowSums<Value> sums(F f, G g) const {
    Value firsts[kChains];
    Value seconds[kChains];
    for (int k = 0; k < kChains; ++k) firsts[k] = seconds[k] = Value(0);
    in_chains(
        [&](int k, int64_t i) HWY_ATTR {
          firsts[k] = firsts[k] + load(i, f, Inputs());
          seconds[k] = seconds[k] + load(i, g, Inputs());
        },
        [&](int k, int64_t i, int64_t n) HWY_ATTR {
          const auto rest = [&](auto function) HWY_ATTR {
            return first_lanes(n, load_partial(i, n, function, Inputs()),
                               Value(0));
          };
          firsts[k] = firsts[k] + rest(f);
          seconds[k] = seconds[k] + rest(g);
        });
    const auto add = [](Value a, Value b) HWY_ATTR { return a + b; };
    return {across(firsts, add), across(seconds, add)};
  }

  // The mean and the variance of f, in one pass. Deviations are taken from the
  // lane's first element: only an outlier there costs the variance precision,
  // and at most in proportion to the number of the lane's elements.
  template <class F>
  HWY_INLINE functions::RowMoments<Value> moments(F f) const {
    const Value shift = load_partial(0, std::min(length_, kStep), f, Inputs());
    Value firsts[kChains];
    Value seconds[kChains];
    for (int k = 0; k < kChains; ++k) firsts[k] = seconds[k] = Value(0);
    const auto add = [&](int k, Value deviation) HWY_ATTR {
      firsts[k] = firsts[k] + deviation;
      seconds[k] = lanes_multiply_add(deviation, deviation, seconds[k]);
    };
    in_chains([&](int k, int64_t i)
                  HWY_ATTR { add(k, load(i, f, Inputs()) - shift); },
              [&](int k, int64_t i, int64_t n) HWY_ATTR {
                const Value x = load_partial(i, n, f, Inputs());
                add(k, first_lanes(n, x - shift, Value(0)));
              });
    // Lanes are samples whose moments are combined (Chan, Golub and LeVeque,
    // "Algorithms for computing the sample variance", 1983).
    const auto sum = [](Value a, Value b) HWY_ATTR { return a + b; };
    const Value first = (firsts[0] + firsts[1]) + (firsts[2] + firsts[3]);
    const Value second = (seconds[0] + seconds[1]) + (seconds[2] + seconds[3]);
    const auto whole = static_cast<Element>(length_ / kStep);
    const Value counts =
        first_lanes(length_ % kStep, Value(whole + 1), Value(whole));
    const Value step = first / lanes_max(counts, Value(1));
    const Value start(number(shift));
    const Value means = shift - start + step;
    const Value length(static_cast<Element>(length_));
    const Value mean = reduce_lanes(counts * means, sum) / length;
    const Value apart = means - mean;
    const Value rest = second - first * step + counts * apart * apart;
    const Value variance = reduce_lanes(rest, sum) / length;
    return functions::RowMoments<Value>::around(
        start, mean, lanes_select(variance < Value(0), Value(0), variance));
  }

  // Writes f to the output.
  template <class F>
  HWY_INLINE void store(F f) const {
    each_stored(
        [&](int64_t i) { return load(i, f, Inputs()); },
        [&](int64_t i, int64_t n) { return load_partial(i, n, f, Inputs()); });
  }
  // The same, but writes g(f) to one element.
  template <class F, class G>
  HWY_INLINE void store_except(int64_t element, F f, G g) const {
    const auto change = [&](Value x, int64_t i) HWY_ATTR {
      const int64_t lane = element - i;
      if (lane < 0 || lane >= kStep) [[likely]]
        return x;
      alignas(64) Element lanes[kStep];
      LaneMemory<Element>::store(x, lanes);
      lanes[lane] = g(lanes[lane]);
      return LaneMemory<Element>::load(lanes);
    };
    each_stored([&](int64_t i) { return change(load(i, f, Inputs()), i); },
                [&](int64_t i, int64_t n) {
                  return change(load_partial(i, n, f, Inputs()), i);
                });
  }

  // The same, but subtracts c from the element that `label` gives for the row.
  template <class Label, class F>
  HWY_INLINE void store_less_at(Label label, F f, Value c) const {
    store_except(label(*this), f, [c = number(c)](Element y) { return y - c; });
  }

  // The same, and adds g to the sums of columns, and h to those after them.
  template <class F, class G, class H>
  HWY_INLINE void store_and_add(const functions::ColumnSums& sums, F f, G g,
                                H h) const {
    using Sums = LaneMemory<Element>;
    Element* const first =
        static_cast<Element*>(sums.data) + chunk_ * 2 * length_;
    Element* const second = first + length_;
    each_stored(
        [&](int64_t i) HWY_ATTR {
          const Value y = load(i, f, Inputs());
          const Value a = load(i, g, Inputs());
          const Value b = load(i, h, Inputs());
          Sums::store(Sums::load(first + i) + a, first + i);
          Sums::store(Sums::load(second + i) + b, second + i);
          return y;
        },
        [&](int64_t i, int64_t n) HWY_ATTR {
          const auto add = [&](Element* to, Value x) HWY_ATTR {
            const Value before = Sums::load_partial(to, n, Value(0));
            Sums::store_partial(before + x, to, n);
          };
          const Value y = load_partial(i, n, f, Inputs());
          const Value a = load_partial(i, n, g, Inputs());
          const Value b = load_partial(i, n, h, Inputs());
          add(first + i, a);
          add(second + i, b);
          return y;
        });
  }

  // For functors with kUpdates: keeps f as the result, which update() changes
  // and writes, and returns the sum of f.
  template <class F>
  HWY_INLINE Value store_sum(F f) const {
    using Kept = LaneMemory<Element>;
    Value totals[kChains];
    for (Value& total : totals) total = Value(0);
    in_chains(
        [&](int k, int64_t i) HWY_ATTR {
          const Value x = load(i, f, Inputs());
          Kept::store(x, scratch_ + i);
          totals[k] = totals[k] + x;
        },
        [&](int k, int64_t i, int64_t n) HWY_ATTR {
          const Value x = load_partial(i, n, f, Inputs());
          Kept::store_partial(x, scratch_ + i, n);
          totals[k] = totals[k] + first_lanes(n, x, Value(0));
        });
    return across(totals, [](Value a, Value b) { return a + b; });
  }
  template <class F>
  HWY_INLINE void update(F f) const {
    using Kept = LaneMemory<Element>;
    each_stored([&](int64_t i) { return f(Kept::load(scratch_ + i)); },
                [&](int64_t i, int64_t n) {
                  return f(Kept::load_partial(scratch_ + i, n, Value(0)));
                });
  }

  // The elements [begin, end) as a row.
  HWY_INLINE Row part(int64_t begin, int64_t end) const {
    Row row = *this;
    for (const S*& in : row.in_) in += begin;
    if (out_ != nullptr) row.out_ += begin;
    if (scratch_ != nullptr) row.scratch_ += begin;
    row.length_ = end - begin;
    row.followed_ = 0;
    return row;
  }

  // Element i of an input.
  HWY_INLINE Element at(int64_t i, int input = 0) const {
    return static_cast<Element>(in_[input][i]);
  }

  // Convert between a value for the whole row and a number.
  static HWY_INLINE Element number(Value x) { return hn::GetLane(x.v); }
  static HWY_INLINE Value value(Element x) { return Value(x); }
  // The value of a function of the row that gives a number.
  template <class F>
  HWY_INLINE Value value_of(F f) const {
    return value(f(*this));
  }
  // The row's number in an array with one for each row.
  template <class T>
  HWY_INLINE Value read(const T* of_rows) const {
    return value(static_cast<Element>(of_rows[index_]));
  }
  template <class T>
  HWY_INLINE void write(T* of_rows, Value x) const {
    of_rows[index_] = static_cast<T>(number(x));
  }

 private:
  using Memory = LaneMemory<S>;
  using Inputs = std::make_index_sequence<inputs>;
  static constexpr int64_t kStep = kLanes<Element>;
  // Independent accumulators, which hide the latency of additions.
  static constexpr int kChains = 4;
  static constexpr int64_t kLine = 64;

  // The first pass over a row waits for memory, later ones compute or write. So
  // the second also fetches the next row, which processors do not do by
  // themselves where each row begins another page.
  HWY_INLINE bool fetches_in_this_pass() const {
    return ++passes_ == 2 && followed_ > 0;
  }
  HWY_INLINE void fetch_next(int64_t i, int64_t n) const {
    constexpr int64_t kPerLine = kLine / static_cast<int64_t>(sizeof(S));
    for (int k = 0; k < followed_; ++k) {
      for (int64_t at = i; at < i + n; at += kPerLine) {
        __builtin_prefetch(in_[k] + length_ + at, /*rw=*/0, /*locality=*/2);
      }
    }
  }

  static HWY_INLINE Value first_lanes(int64_t n, Value x, Value rest) {
    const auto first = hn::FirstN(Tag<Element>(), static_cast<size_t>(n));
    return Value(hn::IfThenElse(first, x.v, rest.v));
  }

  template <class Combine>
  static HWY_INLINE Value across(const Value (&states)[kChains],
                                 Combine combine) {
    return reduce_lanes(
        combine(combine(states[0], states[1]), combine(states[2], states[3])),
        combine);
  }

  static HWY_INLINE void store_partial(Value x, S* to, int64_t n) {
    alignas(64) S padded[kStep];
    Memory::store(x, padded);
    std::memcpy(to, padded, static_cast<size_t>(n) * sizeof(S));
  }

  template <size_t... k, class F>
  HWY_INLINE Value load(int64_t i, F f, std::index_sequence<k...>) const {
    return f(Memory::load(in_[k] + i)...);
  }
  template <size_t... k, class F>
  HWY_INLINE Value load_partial(int64_t i, int64_t n, F f,
                                std::index_sequence<k...>) const {
    return f(Memory::load_partial(in_[k] + i, n, Value(0))...);
  }

  // Writes the lanes that whole(i) and part(i, n) return to the output. Streams
  // whole cache lines if that is wanted.
  template <class Whole, class Part>
  HWY_INLINE void each_stored(Whole whole, Part part) const {
    const bool fetches = fetches_in_this_pass();
    int64_t i = 0;
    if (streams_) {
      const auto offset =
          static_cast<int64_t>(reinterpret_cast<uintptr_t>(out_) % kLine);
      const int64_t head = std::min(
          length_, (kLine - offset) % kLine / static_cast<int64_t>(sizeof(S)));
      i = store_ordinary(0, head, fetches, whole, part);
      constexpr int64_t kLineSteps =
          std::max<int64_t>(1, kLine / static_cast<int64_t>(sizeof(S)) / kStep);
      for (; i + kLineSteps * kStep <= length_; i += kLineSteps * kStep) {
        if (fetches) fetch_next(i, kLineSteps * kStep);
        for (int64_t k = 0; k < kLineSteps; ++k) {
          Memory::stream(whole(i + k * kStep), out_ + i + k * kStep);
        }
      }
    }
    store_ordinary(i, length_, fetches, whole, part);
  }
  template <class Whole, class Part>
  HWY_INLINE int64_t store_ordinary(int64_t i, int64_t end, bool fetches,
                                    Whole whole, Part part) const {
    for (; i + kStep <= end; i += kStep) {
      if (fetches) fetch_next(i, kStep);
      Memory::store(whole(i), out_ + i);
    }
    if (const int64_t n = end - i; n > 0) {
      store_partial(part(i, n), out_ + i, n);
    }
    return end;
  }

  template <class F, class Combine>
  HWY_INLINE Value fold(Value identity, F f, Combine combine) const {
    Value states[kChains];
    for (Value& state : states) state = identity;
    in_chains(
        [&](int k, int64_t i)
            HWY_ATTR { states[k] = combine(states[k], load(i, f, Inputs())); },
        [&](int k, int64_t i, int64_t n) HWY_ATTR {
          const Value x = load_partial(i, n, f, Inputs());
          states[k] = combine(states[k], first_lanes(n, x, identity));
        });
    return across(states, combine);
  }

  // A pass over the row: calls whole(k, i) for the lanes at i, which are the
  // k-th chain's, and part(k, i, n) for the n elements that are left.
  template <class Whole, class Part>
  HWY_INLINE void in_chains(Whole whole, Part part) const {
    const bool fetches = fetches_in_this_pass();
    int64_t i = 0;
    for (; i + kChains * kStep <= length_; i += kChains * kStep) {
      if (fetches) fetch_next(i, kChains * kStep);
      for (int k = 0; k < kChains; ++k) whole(k, i + k * kStep);
    }
    for (; i + kStep <= length_; i += kStep) whole(0, i);
    if (i < length_) part(1, i, length_ - i);
  }

  const S* in_[inputs];
  S* out_ = nullptr;
  int64_t length_;
  int64_t index_;
  int64_t chunk_;  // of ColumnSums
  Element* scratch_;
  int followed_;
  mutable int passes_ = 0;
  bool streams_;
};

template <class Op, class S>
class RowLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::RowArgs& args) {
    functions::cpu::run_row_pass(args, kPass);
  }

 private:
  using View = Row<S, Op::kInputs>;

  static void run_contiguous(char* const* data,
                             const functions::cpu::RowPass::Rows& rows,
                             const void* functor, void* scratch, bool streams) {
    constexpr int kOperands = Op::kInputs + (Op::kOutput ? 1 : 0);
    constexpr int kOwn = Op::kInputs - functions::shared_inputs<Op>();
    // The next rows are fetched while all that the functor touches, with them,
    // fits a part of the L2 cache.
    constexpr int64_t kMaxBytes = 768 << 10;
    constexpr int64_t kTouched =
        kOwn + Op::kInputs + (functions::adds_columns<Op>() ? 2 : 0);
    const int followed =
        kTouched * rows.length * static_cast<int64_t>(sizeof(S)) <= kMaxBytes
            ? kOwn
            : 0;
    const Op op = *static_cast<const Op*>(functor);
    char* at[functions::kMaxRowOperands];
    for (int k = 0; k < kOperands; ++k) at[k] = data[k];
    for (int64_t row = 0; row < rows.count; ++row) {
      View view({at, scratch, streams, followed, rows.chunk}, rows.length,
                rows.first + row);
      if constexpr (Op::kOutput) view.set_output(at[Op::kInputs]);
      op(view);
      for (int k = 0; k < kOperands; ++k) {
        if (k >= kOwn && k < Op::kInputs) continue;
        at[k] += rows.length * static_cast<int64_t>(sizeof(S));
      }
    }
  }

  static void run_side_by_side(char* const* data, int64_t stride,
                               const functions::cpu::RowPass::Rows& rows,
                               const void* functor, void* scratch) {
    if constexpr (functions::runs_in_lanes<Op>()) {
      constexpr int kOperands = Op::kInputs + (Op::kOutput ? 1 : 0);
      constexpr int64_t kStep = kLanes<typename View::Element>;
      const Op op = *static_cast<const Op*>(functor);
      for (int64_t row = 0; row < rows.count; row += kStep) {
        char* at[functions::kMaxRowOperands];
        for (int k = 0; k < kOperands; ++k) {
          at[k] = data[k] + row * static_cast<int64_t>(sizeof(S));
        }
        RowsInLanes<S, Op::kInputs> view(at, scratch, rows.length, stride,
                                         rows.first + row,
                                         std::min(kStep, rows.count - row));
        if constexpr (Op::kOutput) view.set_output(at[Op::kInputs]);
        op(view);
      }
    }
  }

  static constexpr functions::cpu::RowPass kPass = {
      run_contiguous,
      run_side_by_side,
      functions::runs_in_lanes<Op>() ? kLanes<typename View::Element> : 0,
      Op::kInputs,
      functions::shared_inputs<Op>(),
      Op::kOutput,
      sizeof(S),
      functions::updates_rows<Op>() ? sizeof(typename View::Element) : 0};
};

}  // namespace catena::kernels::CATENA_BACKEND
