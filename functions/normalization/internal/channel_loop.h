#pragma once

// CPU channel kernels, compiled once per instruction set. A few thousand
// elements at a time are summed in registers, and those sums in double.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/cpu/lanes.h"
#include "catena/functions/engines/rows/row_loop.h"
#include "catena/functions/normalization/internal/channel_args.h"
#include "catena/functions/normalization/internal/channel_finish.h"

namespace catena::kernels::CATENA_BACKEND {

// Count, mean and sum of squared deviations, which can be merged for disjoint
// parts (Chan, Golub and LeVeque, 1979).
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  HWY_INLINE void merge(double n, double part_mean, double part_squares) {
    if (n == 0) return;
    const double total = count + n;
    const double difference = part_mean - mean;
    mean += difference * (n / total);
    squares += part_squares + difference * difference * (count * n / total);
    count = total;
  }
};

template <class S>
class ChannelLoop {
 public:
  static void moments(const functions::ChannelArgs& args) {
    const auto put = [&](int64_t c, const Moments& m) {
      finish_moments<E>(args, c, m.mean, m.squares / std::max(m.count, 1.0));
    };
    if (are_columns(args)) return column_moments(args, put);
    catena::cpu::parallel_for(
        args.channels, channel_grain(args), [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; ++c) {
            Moments total;
            each_part(args, c, [&](int64_t offset, int64_t n) {
              const auto x = row<1>(n, {at<S>(args.x, offset)});
              const E m = x.number(x.sum(Same())) / static_cast<E>(n);
              const V middle(m);
              const auto rest = x.sums(From{middle}, SquaredFrom{middle});
              merge(total, static_cast<double>(n), m, x.number(rest.first),
                    x.number(rest.second));
            });
            put(c, total);
          }
        });
  }

  static void sums(const functions::ChannelArgs& args) {
    const auto* center = static_cast<const E*>(args.center);
    if (are_columns(args)) return column_sums(args, center);
    catena::cpu::parallel_for(
        args.channels, channel_grain(args), [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; ++c) {
            const V middle(center[c]);
            double sum = 0;
            double product = 0;
            each_part(args, c, [&](int64_t offset, int64_t n) {
              const auto both =
                  row<2>(n, {at<S>(args.other, offset), at<S>(args.x, offset)});
              const auto sums = both.sums(FirstOf(), ProductFrom{middle});
              sum += both.number(sums.first);
              product += both.number(sums.second);
            });
            finish_sums<E>(args, c, sum, product);
          }
        });
  }

  static void affine(const functions::ChannelArgs& args) {
    if (args.other == nullptr) return affine_of<1>(args);
    affine_of<2>(args);
  }

 private:
  using Memory = LaneMemory<S>;
  using E = typename Memory::E;
  using V = Lanes<E>;
  using Coefficients = LaneMemory<E>;
  static constexpr int64_t kStep = kLanes<E>;
  // Minimum elements per thread, and the number summed in E.
  static constexpr int64_t kGrain = 16384;
  static constexpr int64_t kPart = 2048;
  // For columns: the number of rows summed in E, and of columns with sums on
  // the stack.
  static constexpr int64_t kRows = 64;
  static constexpr int64_t kColumns = 128;

  struct Same {
    HWY_INLINE V operator()(V x) const { return x; }
  };
  struct From {
    V middle;
    HWY_INLINE V operator()(V x) const { return x - middle; }
  };
  struct SquaredFrom {
    V middle;
    HWY_INLINE V operator()(V x) const { return (x - middle) * (x - middle); }
  };
  struct FirstOf {
    HWY_INLINE V operator()(V gy, V) const { return gy; }
  };
  struct ProductFrom {
    V middle;
    HWY_INLINE V operator()(V gy, V x) const { return gy * (x - middle); }
  };
  struct Affine {
    V center, x_factor, other_factor, offset, low;
    HWY_INLINE V operator()(V x) const {
      return at_least_low(x_factor * (x - center) + offset);
    }
    HWY_INLINE V operator()(V x, V other) const {
      return at_least_low(x_factor * (x - center) +
                          (other_factor * other + offset));
    }
    HWY_INLINE V at_least_low(V y) const {
      return lanes_select(y < low, low, y);
    }
  };

  // Adds a part's moments to a channel's: its mean, as rounded, what the
  // elements sum to from there, and their squares from there.
  static HWY_INLINE void merge(Moments& total, double n, double middle,
                               double rest, double squares) {
    const double step = rest / n;
    total.merge(n, middle + step, std::max(squares - rest * step, 0.0));
  }

  template <class T>
  static T* at(const void* data, int64_t offset) {
    return static_cast<T*>(const_cast<void*>(data)) + offset;
  }
  template <int n>
  static HWY_INLINE Row<S, n> row(int64_t length, const std::array<S*, n>& in) {
    char* data[n];
    for (int k = 0; k < n; ++k) data[k] = reinterpret_cast<char*>(in[k]);
    return Row<S, n>({data}, length, 0);
  }

  static int64_t channel_grain(const functions::ChannelArgs& args) {
    return std::max<int64_t>(
        1, kGrain / std::max<int64_t>(args.outer * args.inner, 1));
  }

  // Calls visit(offset, n) for contiguous parts of a channel.
  template <class Visit>
  static HWY_INLINE void each_part(const functions::ChannelArgs& args,
                                   int64_t channel, Visit visit) {
    for (int64_t o = 0; o < args.outer; ++o) {
      const int64_t start = (o * args.channels + channel) * args.inner;
      for (int64_t i = 0; i < args.inner; i += kPart) {
        visit(start + i, std::min(kPart, args.inner - i));
      }
    }
  }

  // Short runs are columns, too: each of their elements is one.
  static bool are_columns(const functions::ChannelArgs& args) {
    constexpr int64_t kShortest = 16;
    return args.inner > 0 && args.inner < kShortest;
  }
  static functions::ChannelArgs as_columns(functions::ChannelArgs args) {
    args.channels *= args.inner;
    args.inner = 1;
    return args;
  }
  // Numbers of channels for each of their columns; `kept` has them if they are
  // not there yet.
  static const E* of_columns(const functions::ChannelArgs& args,
                             const void* numbers, std::vector<E>& kept) {
    const E* const from = at<const E>(numbers, 0);
    if (args.inner == 1 || from == nullptr) return from;
    kept.resize(static_cast<size_t>(args.channels * args.inner));
    for (int64_t c = 0; c < args.channels; ++c) {
      std::fill_n(kept.data() + c * args.inner, args.inner, from[c]);
    }
    return kept.data();
  }

  // If channels are adjacent in memory: calls visit(state, columns, offset,
  // rows) for blocks of at most kColumns by kRows elements, and finish(state,
  // column, columns) after the last rows of some columns.
  template <class State, class Visit, class Finish>
  static void each_block(const functions::ChannelArgs& args, Visit visit,
                         Finish finish) {
    catena::cpu::parallel_for(
        args.channels, channel_grain(args),
        [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; c += kColumns) {
            const int64_t columns = std::min(end - c, kColumns);
            State state = {};
            for (int64_t o = 0; o < args.outer; o += kRows) {
              visit(state, columns, o * args.channels + c,
                    std::min(kRows, args.outer - o));
            }
            finish(state, c, columns);
          }
        },
        kStep);
  }

  // Numbers for each column of a block.
  struct alignas(64) Columns {
    E values[kColumns] = {};

    HWY_INLINE V get(int64_t k) const { return Coefficients::load(values + k); }
    HWY_INLINE void set(int64_t k, V x) { Coefficients::store(x, values + k); }
    HWY_INLINE void add(int64_t k, V x) { set(k, get(k) + x); }
  };

  // Each row of a block may begin another page, where processors do not fetch
  // by themselves.
  static HWY_INLINE void prefetch(const functions::ChannelArgs& args,
                                  int64_t offset) {
    __builtin_prefetch(at<const S>(args.x, offset));
    if (args.other != nullptr) {
      __builtin_prefetch(at<const S>(args.other, offset));
    }
  }

  // Calls f(k, offset, width) for the lanes of a block, row by row.
  template <class F>
  static HWY_INLINE void each_step(const functions::ChannelArgs& args,
                                   int64_t columns, int64_t offset,
                                   int64_t rows, F f) {
    for (int64_t r = 0; r < rows; ++r, offset += args.channels) {
      int64_t k = 0;
      for (; k + kStep <= columns; k += kStep) {
        prefetch(args, offset + k + 2 * args.channels);
        f(k, offset + k, kStep);
      }
      if (k < columns) f(k, offset + k, columns - k);
    }
  }

  static HWY_INLINE V load(const void* data, int64_t offset, int64_t width) {
    const S* from = at<const S>(data, offset);
    return width == kStep ? Memory::load(from)
                          : Memory::load_partial(from, width, V(0));
  }

  template <class Put>
  static void column_moments(const functions::ChannelArgs& args, Put put) {
    if (args.inner == 1) return moments_of_columns(args, put);
    std::vector<Moments> moments(
        static_cast<size_t>(args.channels * args.inner));
    moments_of_columns(as_columns(args), [&](int64_t column, const Moments& m) {
      moments[static_cast<size_t>(column)] = m;
    });
    auto column = moments.begin();
    for (int64_t c = 0; c < args.channels; ++c) {
      Moments total;
      for (int64_t i = 0; i < args.inner; ++i, ++column) {
        total.merge(column->count, column->mean, column->squares);
      }
      put(c, total);
    }
  }

  template <class Put>
  static void moments_of_columns(const functions::ChannelArgs& args, Put put) {
    struct State {
      Moments moments[kColumns];
    };
    each_block<State>(
        args,
        [&](State& state, int64_t columns, int64_t offset, int64_t rows) {
          Columns means;
          each_step(args, columns, offset, rows,
                    [&](int64_t k, int64_t i, int64_t width) {
                      means.add(k, load(args.x, i, width));
                    });
          const V count(static_cast<E>(rows));
          for (int64_t k = 0; k < columns; k += kStep) {
            means.set(k, means.get(k) / count);
          }
          Columns rests;
          Columns squares;
          each_step(args, columns, offset, rows,
                    [&](int64_t k, int64_t i, int64_t width) {
                      const V d = load(args.x, i, width) - means.get(k);
                      rests.add(k, d);
                      squares.add(k, d * d);
                    });
          for (int64_t k = 0; k < columns; ++k) {
            merge(state.moments[k], static_cast<double>(rows), means.values[k],
                  rests.values[k], squares.values[k]);
          }
        },
        [&](const State& state, int64_t c, int64_t n) {
          for (int64_t k = 0; k < n; ++k) put(c + k, state.moments[k]);
        });
  }

  static void column_sums(const functions::ChannelArgs& args, const E* center) {
    if (args.inner == 1) {
      return sums_of_columns(args, center,
                             [&](int64_t c, double sum, double product) {
                               finish_sums<E>(args, c, sum, product);
                             });
    }
    struct Sums {
      double sum;
      double product;
    };
    std::vector<E> centers;
    std::vector<Sums> sums(static_cast<size_t>(args.channels * args.inner));
    sums_of_columns(as_columns(args), of_columns(args, center, centers),
                    [&](int64_t column, double sum, double product) {
                      sums[static_cast<size_t>(column)] = {sum, product};
                    });
    auto column = sums.begin();
    for (int64_t c = 0; c < args.channels; ++c) {
      Sums total = {0, 0};
      for (int64_t i = 0; i < args.inner; ++i, ++column) {
        total.sum += column->sum;
        total.product += column->product;
      }
      finish_sums<E>(args, c, total.sum, total.product);
    }
  }

  template <class Put>
  static void sums_of_columns(const functions::ChannelArgs& args,
                              const E* center, Put put) {
    struct State {
      double first[kColumns];
      double second[kColumns];
    };
    each_block<State>(
        args,
        [&](State& state, int64_t columns, int64_t offset, int64_t rows) {
          Columns middles;
          std::copy_n(center + offset % args.channels, columns, middles.values);
          Columns sums;
          Columns products;
          each_step(args, columns, offset, rows,
                    [&](int64_t k, int64_t i, int64_t width) {
                      const V gy = load(args.other, i, width);
                      const V x = load(args.x, i, width);
                      sums.add(k, gy);
                      products.add(k, gy * (x - middles.get(k)));
                    });
          for (int64_t k = 0; k < columns; ++k) {
            state.first[k] += sums.values[k];
            state.second[k] += products.values[k];
          }
        },
        [&](const State& state, int64_t c, int64_t n) {
          for (int64_t k = 0; k < n; ++k) {
            put(c + k, state.first[k], state.second[k]);
          }
        });
  }

  // Applies f to each coefficient array.
  template <class F>
  static HWY_INLINE Affine coefficients(const functions::ChannelArgs& args,
                                        F f) {
    return {f(args.center), f(args.x_factor),
            args.other_factor == nullptr ? V(1) : f(args.other_factor),
            f(args.offset), V(static_cast<E>(args.low))};
  }

  template <int inputs>
  static void affine_of(const functions::ChannelArgs& args) {
    if (are_columns(args)) return affine_columns<inputs>(args);
    if (args.inner == 0) return;
    const int64_t grain = std::max<int64_t>(1, kGrain / args.inner);
    catena::cpu::parallel_for(
        args.outer * args.channels, grain, [&](int64_t begin, int64_t end) {
          for (int64_t run = begin; run < end; ++run) {
            const int64_t c = run % args.channels;
            const int64_t offset = run * args.inner;
            auto out = row_of<inputs>(args, offset, args.inner);
            out.set_output(reinterpret_cast<char*>(at<S>(args.y, offset)));
            out.store(coefficients(args, [c](const void* values) {
              return V(*at<const E>(values, c));
            }));
          }
        });
  }

  template <int inputs>
  static HWY_INLINE Row<S, inputs> row_of(const functions::ChannelArgs& args,
                                          int64_t offset, int64_t n) {
    if constexpr (inputs == 1) {
      return row<1>(n, {at<S>(args.x, offset)});
    } else {
      return row<2>(n, {at<S>(args.x, offset), at<S>(args.other, offset)});
    }
  }

  template <int inputs>
  static void affine_columns(const functions::ChannelArgs& of_channels) {
    functions::ChannelArgs args = as_columns(of_channels);
    std::vector<E> kept[4];
    const void** const numbers[] = {&args.center, &args.x_factor,
                                    &args.other_factor, &args.offset};
    for (int k = 0; k < 4; ++k) {
      *numbers[k] = of_columns(of_channels, *numbers[k], kept[k]);
    }
    const int64_t grain =
        std::max<int64_t>(1, kGrain / std::max<int64_t>(args.channels, 1));
    catena::cpu::parallel_for(
        args.outer, grain, [&](int64_t begin, int64_t end) {
          for (int64_t o = begin; o < end; ++o) {
            for (int64_t c = 0; c < args.channels; c += kStep) {
              const int64_t width = std::min(kStep, args.channels - c);
              const int64_t offset = o * args.channels + c;
              auto out = row_of<inputs>(args, offset, width);
              out.set_output(reinterpret_cast<char*>(at<S>(args.y, offset)));
              out.store(coefficients(args, [&](const void* values) {
                const E* from = at<const E>(values, c);
                return width == kStep
                           ? Coefficients::load(from)
                           : Coefficients::load_partial(from, width, V(0));
              }));
            }
          }
        });
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
