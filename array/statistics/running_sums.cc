#include "catena/array/statistics/running_sums.h"

#include <cstddef>
#include <type_traits>
#include <utility>

#include "catena/array/cpu/lane_vector.h"
#include "catena/array/kernels/kernel_definition.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// A register of States, and the elements converted to one.
template <class T, int count>
struct Register {
  typedef T type __attribute__((vector_size(count * sizeof(T))));
};

template <class T, class State>
struct Row {
  static constexpr int kCount = kLanes<State>;
  using Numbers = std::make_index_sequence<kCount>;
  using States = typename Register<State, kCount>::type;
  using Elements = typename Register<T, kCount>::type;
  using ElementTag = hn::CappedTag<T, kCount>;

  // What changes no number that it is added to: 0 would change -0.
  static constexpr State kNothing =
      std::is_floating_point_v<State> ? State(-0.0) : State(0);

  [[gnu::always_inline]] static States all_of(State x) {
    States states;
#pragma GCC unroll 8
    for (int k = 0; k < kCount; ++k) states[k] = x;
    return states;
  }

  // The lanes shifted up by `step`, with nothing below.
  template <int step, size_t... k>
  [[gnu::always_inline]] static States shifted(States x,
                                               std::index_sequence<k...>) {
    return __builtin_shufflevector(x, all_of(kNothing),
                                   (k < step ? kCount + k : k - step)...);
  }
  template <size_t... k>
  [[gnu::always_inline]] static States last(States x,
                                            std::index_sequence<k...>) {
    return __builtin_shufflevector(x, x, (k * 0 + kCount - 1)...);
  }

  // The sums of neighbours, of all in a and then of all in b.
  template <size_t... k>
  [[gnu::always_inline]] static States pairs(States a, States b,
                                             std::index_sequence<k...>) {
    return __builtin_shufflevector(a, b, (2 * k)...) +
           __builtin_shufflevector(a, b, (2 * k + 1)...);
  }

  [[gnu::always_inline]] static States load(const T* x) {
#ifdef __AVX2__
    if constexpr (sizeof(T) < sizeof(State)) {
      const auto wide = hn::PromoteTo(hn::CappedTag<State, kCount>(),
                                      hn::LoadU(ElementTag(), x));
      return reinterpret_cast<States>(wide.raw);
    }
#endif
    Elements elements;
    __builtin_memcpy(&elements, x, sizeof(elements));
    return __builtin_convertvector(elements, States);
  }

  [[gnu::always_inline]] static void store(Elements x, T* to,
                                           [[maybe_unused]] bool non_temporal) {
#ifdef __AVX2__
    if (non_temporal) {
      hn::Vec<ElementTag> whole;
      static_assert(sizeof(whole) == sizeof(x));
      __builtin_memcpy(&whole, &x, sizeof(x));
      return hn::Stream(whole, ElementTag(), to);
    }
#endif
    __builtin_memcpy(to, &x, sizeof(x));
  }

  // x[0], x[0] + x[1], ...: halves are added to halves.
  template <int step>
  [[gnu::always_inline]] static States sums_within(States x) {
    if constexpr (step < kCount) {
      return sums_within<2 * step>(x + shifted<step>(x, Numbers()));
    } else {
      return x;
    }
  }

  // The total of each of kCount registers from x on, by the same additions.
  template <int registers>
  [[gnu::always_inline]] static States totals(const T* x) {
    if constexpr (registers == 1) {
      return load(x);
    } else {
      constexpr int kHalf = registers / 2;
      return pairs(totals<kHalf>(x), totals<kHalf>(x + kHalf * kCount),
                   Numbers());
    }
  }

  static State total(const T* x, int64_t n) {
    State sum = kNothing;
    int64_t i = 0;
    for (; i + kCount * kCount <= n; i += kCount * kCount) {
      const States each = totals<kCount>(x + i);
#pragma GCC unroll 8
      for (int k = 0; k < kCount; ++k) sum += each[k];
    }
    for (; i + kCount <= n; i += kCount) {
      sum += sums_within<1>(load(x + i))[kCount - 1];
    }
    for (; i < n; ++i) sum += static_cast<State>(x[i]);
    return sum;
  }

  // The cumulative sums of a register. `sum` holds the carry in every lane, and
  // is updated for the next register.
  [[gnu::always_inline]] static Elements step(States before, const T* x,
                                              States& sum) {
    const States within = sums_within<1>(load(x));
    const States result = before + (sum + within);
    sum += last(within, Numbers());
    return __builtin_convertvector(result, Elements);
  }

  static State scan(State before, const T* x, int64_t n, T* out,
                    bool non_temporal) {
    const States all_before = all_of(before);
    States sum = all_of(kNothing);
    int64_t i = 0;
    for (; non_temporal && i + kCount <= n; i += kCount) {
      store(step(all_before, x + i, sum), out + i, true);
    }
    for (; i + kCount <= n; i += kCount) {
      store(step(all_before, x + i, sum), out + i, false);
    }
    State rest = sum[0];
    for (; i < n; ++i) {
      rest += static_cast<State>(x[i]);
      out[i] = static_cast<T>(before + rest);
    }
    return rest;
  }
};

template <class T, class State>
constexpr RunningSumsOf<T, State> row = {Row<T, State>::total,
                                         Row<T, State>::scan};

}  // namespace

template <>
constinit const RunningSums Kernels<RunningSums>::table = {
    row<float, double>, row<double, double>, row<uint64_t, uint64_t>};

}  // namespace catena::kernels::CATENA_BACKEND
