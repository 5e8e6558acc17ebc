#include "catena/array/statistics/running_sums.h"

#include "hwy/highway.h"

namespace catena::array::CATENA_BACKEND {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif

// The numbers 0, ..., n - 1 as arguments of a template.
template <int... k>
struct Numbers {};
template <int n, int... k>
struct Count : Count<n - 1, n - 1, k...> {};
template <int... k>
struct Count<0, k...> {
  using type = Numbers<k...>;
};

// A register of States, or as many elements as become one.
template <class T, int count>
struct Register {
  typedef T type __attribute__((vector_size(count * sizeof(T))));
};

template <class T, class State>
struct Row {
  static constexpr int kLanes = kBytes / sizeof(State);
  using Lanes = typename Count<kLanes>::type;
  using States = typename Register<State, kLanes>::type;
  using Elements = typename Register<T, kLanes>::type;
  using Tag = hn::CappedTag<T, kLanes>;

  // The lanes `step` further on, after zeros.
  template <int step, int... k>
  [[gnu::always_inline]] static States shifted(States x, Numbers<k...>) {
    return __builtin_shufflevector(x, States{},
                                   (k < step ? kLanes + k : k - step)...);
  }
  template <int... k>
  [[gnu::always_inline]] static States last(States x, Numbers<k...>) {
    return __builtin_shufflevector(x, x, (k * 0 + kLanes - 1)...);
  }

  // The sums of neighbours, of all in a and then of all in b.
  template <int... k>
  [[gnu::always_inline]] static States pairs(States a, States b,
                                             Numbers<k...>) {
    return __builtin_shufflevector(a, b, (2 * k)...) +
           __builtin_shufflevector(a, b, (2 * k + 1)...);
  }

  [[gnu::always_inline]] static States load(const T* x) {
#ifdef __AVX2__
    if constexpr (sizeof(T) < sizeof(State)) {
      const auto wide =
          hn::PromoteTo(hn::CappedTag<State, kLanes>(), hn::LoadU(Tag(), x));
      return reinterpret_cast<States>(wide.raw);
    }
#endif
    Elements elements;
    __builtin_memcpy(&elements, x, sizeof(elements));
    return __builtin_convertvector(elements, States);
  }

  [[gnu::always_inline]] static void store(Elements x, T* to,
                                           [[maybe_unused]] bool past_caches) {
#ifdef __AVX2__
    if (past_caches) {
      hn::Vec<Tag> whole;
      static_assert(sizeof(whole) == sizeof(x));
      __builtin_memcpy(&whole, &x, sizeof(x));
      return hn::Stream(whole, Tag(), to);
    }
#endif
    __builtin_memcpy(to, &x, sizeof(x));
  }

  // x[0], x[0] + x[1], ...: halves are added to halves.
  template <int step>
  [[gnu::always_inline]] static States sums_within(States x) {
    if constexpr (step < kLanes) {
      return sums_within<2 * step>(x + shifted<step>(x, Lanes()));
    } else {
      return x;
    }
  }

  // What each of kLanes registers from x on comes to, by the same additions.
  template <int registers>
  [[gnu::always_inline]] static States totals(const T* x) {
    if constexpr (registers == 1) {
      return load(x);
    } else {
      constexpr int kHalf = registers / 2;
      return pairs(totals<kHalf>(x), totals<kHalf>(x + kHalf * kLanes),
                   Lanes());
    }
  }

  static State total(const T* x, int64_t n) {
    State sum = 0;
    int64_t i = 0;
    for (; i + kLanes * kLanes <= n; i += kLanes * kLanes) {
      const States each = totals<kLanes>(x + i);
#pragma GCC unroll 8
      for (int k = 0; k < kLanes; ++k) sum += each[k];
    }
    for (; i + kLanes <= n; i += kLanes) {
      sum += sums_within<1>(load(x + i))[kLanes - 1];
    }
    for (; i < n; ++i) sum += static_cast<State>(x[i]);
    return sum;
  }

  // The running sums of a register; `sum` is what comes before them, in every
  // lane, and then what comes before the next.
  [[gnu::always_inline]] static Elements step(States before, const T* x,
                                              States& sum) {
    const States within = sums_within<1>(load(x));
    const States result = before + (sum + within);
    sum += last(within, Lanes());
    return __builtin_convertvector(result, Elements);
  }

  static State scan(State before, const T* x, int64_t n, T* out,
                    bool past_caches) {
    const States all_before = States{} + before;
    States sum = {};
    int64_t i = 0;
    for (; past_caches && i + kLanes <= n; i += kLanes) {
      store(step(all_before, x + i, sum), out + i, true);
    }
    for (; i + kLanes <= n; i += kLanes) {
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

constinit const RunningSums running_sums = {
    row<float, double>, row<double, double>, row<uint64_t, uint64_t>};

}  // namespace catena::array::CATENA_BACKEND
