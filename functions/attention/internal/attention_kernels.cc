// Attention on the CPU: tiles of scores in the L2 cache, made and used by
// matrix products.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/cpu/lanes.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/math.h"
#include "catena/array/linalg/gemm.h"
#include "catena/array/linalg/packed_gemm.h"
#include "catena/functions/attention/internal/attention_args.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

// In packed_gemm.cc.
template <>
const array::PackedGemm Kernels<array::PackedGemm>::table;

namespace {

using functions::AttentionArgs;
using functions::KeyRange;

// The rows and columns of a tile of scores: 64 KiB of float32.
constexpr int64_t kQueries = 64;
constexpr int64_t kKeys = 256;

template <class E>
using Buffer = catena::cpu::PoolBuffer<E>;

// Calls f(i, n) for steps of n elements from begin to end, n being kLanes<E>
// but for the last.
template <class E, class F>
HWY_INLINE void each_step(int64_t begin, int64_t end, F f) {
  constexpr int64_t kStep = kLanes<E>;
  int64_t i = begin;
  for (; i + kStep <= end; i += kStep) f(i, kStep);
  if (i < end) f(i, end - i);
}

template <class S, class E>
HWY_INLINE Lanes<E> load(const S* from, int64_t n, E padding) {
  return n == kLanes<E>
             ? LaneMemory<S>::load(from)
             : LaneMemory<S>::load_partial(from, n, Lanes<E>(padding));
}

template <class S, class E>
HWY_INLINE void store(Lanes<E> x, S* to, int64_t n) {
  if (n == kLanes<E>) {
    LaneMemory<S>::store(x, to);
  } else {
    LaneMemory<S>::store_partial(x, to, n);
  }
}

// Rows of a matrix in memory.
template <class T>
struct Rows {
  T* data;
  int64_t stride;

  T* row(int64_t i) const { return data + i * stride; }
};

template <class E>
struct Factor {
  const E* data;
  int64_t ld;
  bool transposed = false;
};

// C = alpha A B + beta C, where C is (m, n), A (m, k) and beta 0 or 1.
template <class E>
void multiply(int64_t m, int64_t n, int64_t k, double alpha, const Factor<E>& a,
              const Factor<E>& b, double beta, const Rows<E>& c) {
  const auto matrix = [](const E* data, int64_t ld, bool transposed) {
    array::GemmArgs::Matrix x{};
    x.data = reinterpret_cast<char*>(const_cast<E*>(data));
    x.ld = ld;
    x.transposed = transposed;
    return x;
  };
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (beta == 0) {
      for (int64_t i = 0; i < m; ++i) std::fill_n(c.row(i), n, E(0));
    }
    return;
  }
  array::GemmArgs args{};
  args.dtype = dtype_of<E>;
  args.m = m;
  args.n = n;
  args.k = k;
  args.alpha = alpha;
  args.beta = beta;
  args.batch = 1;
  args.a = matrix(a.data, a.ld, a.transposed);
  args.b = matrix(b.data, b.ld, b.transposed);
  args.c = matrix(c.data, c.stride, false);
  if (auto* packed =
          kernel_slot<array::PackedGemm>.on(args.device).template kernel<E>()) {
    return packed(args, args.a.data, args.b.data, args.c.data);
  }
  kernel_slot<array::Gemm>.on(args.device)[args.dtype](args);
}

// What both directions need: an operand's rows as computed, and scores.
template <class S>
class AttentionTiles {
 public:
  using E = typename LaneMemory<S>::E;

  explicit AttentionTiles(const AttentionArgs& args) : args_(args) {}

 protected:
  // The rows of an item's head in an operand.
  static Rows<S> rows_of(const AttentionArgs::Operand& x, int64_t item,
                         int64_t head) {
    return {reinterpret_cast<S*>(x.data) + item * x.batch_stride +
                head * x.head_stride,
            x.row_stride};
  }

  // Rows [begin, end) in the type computed in: those in memory, or a copy of
  // `size` columns in `buffer`.
  static Factor<E> as_computed(const Rows<S>& rows, int64_t begin, int64_t end,
                               int64_t size, const Buffer<E>& buffer) {
    if constexpr (std::is_same_v<S, E>) {
      return {rows.row(begin), rows.stride};
    } else {
      for (int64_t i = begin; i < end; ++i) {
        const S* const from = rows.row(i);
        E* const to = buffer.get() + (i - begin) * size;
        each_step<E>(0, size, [&](int64_t j, int64_t n) HWY_ATTR {
          store<E>(load<S, E>(from + j, n, 0), to + j, n);
        });
      }
      return {buffer.get(), size};
    }
  }
  // The elements of a buffer for as_computed.
  static int64_t copied(int64_t count) {
    return std::is_same_v<S, E> ? 0 : count;
  }

  int64_t row_index(int64_t item, int64_t head, int64_t query) const {
    return (item * args_.heads + head) * args_.queries + query;
  }
  int64_t kv_head(int64_t head) const {
    return head / (args_.heads / args_.kv_heads);
  }

  // Turns products of a query with the keys of a range, at scores[0] and after,
  // into scores. Keeps what the soft cap makes of them in `capped`, unless
  // null.
  void finish_scores(int64_t item, int64_t head, int64_t query,
                     const KeyRange& range, E* scores, E* capped) const {
    const int64_t count = range.end - range.begin;
    if (args_.soft_cap != 0) {
      const Lanes<E> cap(static_cast<E>(args_.soft_cap));
      const Lanes<E> inverse(static_cast<E>(1 / args_.soft_cap));
      each_step<E>(0, count, [&](int64_t j, int64_t n) HWY_ATTR {
        const Lanes<E> x = tanh(load<E, E>(scores + j, n, 0) * inverse) * cap;
        store<E>(x, scores + j, n);
        if (capped != nullptr) store<E>(x, capped + j, n);
      });
    }
    if (args_.alibi_slopes != nullptr) {
      const Lanes<E> slope(static_cast<const E*>(args_.alibi_slopes)[head]);
      const int64_t at = query + args_.keys - args_.queries;
      each_step<E>(0, count, [&](int64_t j, int64_t n) HWY_ATTR {
        const Lanes<E> distance(
            hn::Iota(Tag<E>(), static_cast<E>(range.begin + j - at)));
        store<E>(load<E, E>(scores + j, n, 0) - slope * abs(distance),
                 scores + j, n);
      });
    }
    if (args_.mask != nullptr) {
      const int64_t* const strides = args_.mask_strides;
      const int64_t first = item * strides[0] + head * strides[1] +
                            query * strides[2] + range.begin * strides[3];
      const int64_t step = strides[3];
      if (args_.mask_is_bool) {
        const char* const mask = args_.mask + first;
        for (int64_t j = 0; j < count; ++j) {
          if (mask[j * step] == 0) {
            scores[j] = -std::numeric_limits<E>::infinity();
          }
        }
      } else {
        const E* const mask = reinterpret_cast<const E*>(args_.mask) + first;
        for (int64_t j = 0; j < count; ++j) scores[j] += mask[j * step];
      }
    }
  }

  // What dropout makes of weights, or of their gradients.
  void drop(int64_t row, const KeyRange& range, E* values) const {
    for (int64_t key = range.begin; key < range.end; ++key) {
      values[key - range.begin] *= static_cast<E>(
          functions::dropout_factor(static_cast<uint64_t>(*args_.seed),
                                    args_.dropout, row, args_.keys, key));
    }
  }

  static KeyRange overlap(const KeyRange& a, const KeyRange& b) {
    const int64_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
  }

  // The keys that some of the queries see. Both ends grow with the query.
  KeyRange visible_to_any(int64_t item, const KeyRange& queries) const {
    return {args_.visible(item, queries.begin).begin,
            args_.visible(item, queries.end - 1).end};
  }
  // The queries from the first to the last that sees one of the keys.
  KeyRange that_see(int64_t item, const KeyRange& queries,
                    const KeyRange& keys) const {
    return overlap(queries, args_.seeing(item, keys));
  }

  const AttentionArgs& args_;
};

// Attention by parts of the softmax: with each block of keys, what was summed
// before is scaled to the new maximum (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018; Dao et al., "FlashAttention",
// 2022).
template <class S>
class ForwardTiles : AttentionTiles<S> {
 public:
  using Base = AttentionTiles<S>;
  using Base::Base;
  using typename Base::E;

  void run() {
    const int64_t tiles = (args_.queries + kQueries - 1) / kQueries;
    const int64_t items = args_.batch * args_.heads * tiles;
    catena::cpu::parallel_for(items, 1, [&](int64_t begin, int64_t end) {
      const Memory memory(args_);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % tiles * kQueries;
        compute(i / tiles / args_.heads, i / tiles % args_.heads,
                {first, std::min(first + kQueries, args_.queries)}, memory);
      }
    });
  }

 private:
  using Base::args_;

  // What a thread computes a tile in.
  struct Memory {
    explicit Memory(const AttentionArgs& args)
        : scores(kQueries * kKeys),
          sums(kQueries * args.value_size),
          queries(Base::copied(kQueries * args.size)),
          keys(Base::copied(kKeys * args.size)),
          values(Base::copied(kKeys * args.value_size)) {}

    Buffer<E> scores;
    Buffer<E> sums;  // of weighted values
    Buffer<E> queries;
    Buffer<E> keys;
    Buffer<E> values;
  };

  void compute(int64_t item, int64_t head, const KeyRange& queries,
               const Memory& memory) const {
    const int64_t kv_head = Base::kv_head(head);
    const auto k = Base::rows_of(args_.k, item, kv_head);
    const auto v = Base::rows_of(args_.v, item, kv_head);
    const Factor<E> q =
        Base::as_computed(Base::rows_of(args_.q, item, head), queries.begin,
                          queries.end, args_.size, memory.queries);
    const Rows<E> scores{memory.scores.get(), kKeys};
    const Rows<E> sums{memory.sums.get(), args_.value_size};
    E maxima[kQueries];
    E totals[kQueries];
    const int64_t count = queries.end - queries.begin;
    std::fill_n(maxima, count, -std::numeric_limits<E>::infinity());
    std::fill_n(totals, count, E(0));
    std::fill_n(sums.data, count * args_.value_size, E(0));

    const KeyRange all = Base::visible_to_any(item, queries);
    for (int64_t begin = all.begin; begin < all.end; begin += kKeys) {
      const KeyRange block{begin, std::min(begin + kKeys, all.end)};
      const KeyRange seeing = Base::that_see(item, queries, block);
      if (seeing.begin == seeing.end) continue;
      const int64_t first = seeing.begin - queries.begin;
      const int64_t rows = seeing.end - seeing.begin;
      const int64_t width = block.end - block.begin;
      Factor<E> keys =
          Base::as_computed(k, block.begin, block.end, args_.size, memory.keys);
      keys.transposed = true;
      multiply<E>(rows, width, args_.size, args_.scale,
                  {q.data + first * q.ld, q.ld}, keys, 0,
                  {scores.row(first), kKeys});
      for (int64_t i = 0; i < rows; ++i) {
        weigh(item, head, seeing.begin + i, block, scores.row(first + i),
              &maxima[first + i], &totals[first + i], sums.row(first + i));
      }
      const Factor<E> values = Base::as_computed(
          v, block.begin, block.end, args_.value_size, memory.values);
      multiply<E>(rows, args_.value_size, width, 1, {scores.row(first), kKeys},
                  values, 1, {sums.row(first), args_.value_size});
    }

    const auto y = Base::rows_of(args_.y, item, head);
    for (int64_t i = 0; i < count; ++i) {
      const Lanes<E> factor(totals[i] == 0 ? E(0) : 1 / totals[i]);
      const E* const from = sums.row(i);
      S* const to = y.row(queries.begin + i);
      each_step<E>(0, args_.value_size, [&](int64_t j, int64_t n) HWY_ATTR {
        store<S>(load<E, E>(from + j, n, 0) * factor, to + j, n);
      });
      if (args_.log_sums != nullptr) {
        static_cast<E*>(
            args_.log_sums)[Base::row_index(item, head, queries.begin + i)] =
            totals[i] == 0 ? std::numeric_limits<E>::infinity()
                           : maxima[i] + std::log(totals[i]);
      }
    }
  }

  // Turns products of a query with a block's keys into weights relative to the
  // maximum so far.
  HWY_INLINE void weigh(int64_t item, int64_t head, int64_t query,
                        const KeyRange& block, E* scores, E* maximum, E* total,
                        E* sums) const {
    const KeyRange range = Base::overlap(args_.visible(item, query), block);
    E* const seen = scores + (range.begin - block.begin);
    const int64_t count = range.end - range.begin;
    std::fill(scores, seen, E(0));
    std::fill(seen + count, scores + (block.end - block.begin), E(0));
    if (count == 0) return;
    Base::finish_scores(item, head, query, range, seen, nullptr);

    constexpr E kNone = -std::numeric_limits<E>::infinity();
    Lanes<E> largest(kNone);
    each_step<E>(0, count, [&](int64_t j, int64_t n) HWY_ATTR {
      largest = lanes_max(largest, load<E, E>(seen + j, n, kNone));
    });
    const E now = std::max(
        *maximum,
        hn::GetLane(reduce_lanes(largest, [](Lanes<E> a, Lanes<E> b) HWY_ATTR {
                      return lanes_max(a, b);
                    }).v));
    if (now == kNone) {  // no key, unless there are NaNs
      for (int64_t j = 0; j < count; ++j) {
        if (seen[j] == kNone) seen[j] = 0;
        *total += seen[j];
      }
      return;
    }
    if (now != *maximum && *total != 0) {
      const E change = std::exp(*maximum - now);
      *total *= change;
      const Lanes<E> factor(change);
      each_step<E>(0, args_.value_size, [&](int64_t j, int64_t n) HWY_ATTR {
        store<E>(load<E, E>(sums + j, n, 0) * factor, sums + j, n);
      });
    }
    *maximum = now;
    const Lanes<E> shift(now);
    Lanes<E> added(E(0));
    each_step<E>(0, count, [&](int64_t j, int64_t n) HWY_ATTR {
      const Lanes<E> weight = exp(load<E, E>(seen + j, n, kNone) - shift);
      added = added + weight;
      store<E>(weight, seen + j, n);
    });
    *total += hn::GetLane(
        reduce_lanes(added, [](Lanes<E> a, Lanes<E> b) { return a + b; }).v);
    if (args_.dropout > 0) {
      Base::drop(Base::row_index(item, head, query), range, seen);
    }
  }
};

// Gradients, from scores that are computed again.
template <class S>
class BackwardTiles : AttentionTiles<S> {
 public:
  using Base = AttentionTiles<S>;
  using typename Base::E;

  explicit BackwardTiles(const AttentionArgs& args)
      : Base(args), inner_(args.batch * args.heads * args.queries) {}

  void run() {
    sum_inner_products();
    const bool wants_q = args_.gq.data != nullptr;
    const bool wants_kv = args_.gk.data != nullptr || args_.gv.data != nullptr;
    const int64_t items = args_.batch * args_.kv_heads;
    const KeyRange all_queries{0, args_.queries};
    const KeyRange all_keys{0, args_.keys};
    // A head with its keys at a time computes all gradients from the same
    // scores. Where there are few heads, parts of them run side by side.
    constexpr int64_t kEnoughItems = 8;
    if (items >= kEnoughItems) {
      catena::cpu::parallel_for(items, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          compute(i, all_queries, all_keys, wants_q, wants_kv);
        }
      });
      return;
    }
    const auto by_parts = [&](int64_t length, int64_t part, auto of_part) {
      const int64_t parts = (length + part - 1) / part;
      catena::cpu::parallel_for(
          items * parts, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const int64_t first = i % parts * part;
              of_part(i / parts,
                      KeyRange{first, std::min(first + part, length)});
            }
          });
    };
    if (wants_kv) {
      by_parts(args_.keys, kKeys, [&](int64_t i, const KeyRange& keys) {
        compute(i, all_queries, keys, false, true);
      });
    }
    if (wants_q) {
      by_parts(args_.queries, kQueries,
               [&](int64_t i, const KeyRange& queries) {
                 compute(i, queries, all_keys, true, false);
               });
    }
  }

 private:
  using Base::args_;

  // Each row's inner product of y and its gradient.
  void sum_inner_products() {
    const int64_t rows = args_.batch * args_.heads * args_.queries;
    constexpr int64_t kGrain = 16384;
    catena::cpu::parallel_for(
        rows, kGrain / std::max<int64_t>(1, args_.value_size) + 1,
        [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t query = row % args_.queries;
            const int64_t head = row / args_.queries % args_.heads;
            const int64_t item = row / args_.queries / args_.heads;
            const S* const y = Base::rows_of(args_.y, item, head).row(query);
            const S* const gy = Base::rows_of(args_.gy, item, head).row(query);
            Lanes<E> sum(E(0));
            each_step<E>(
                0, args_.value_size, [&](int64_t j, int64_t n) HWY_ATTR {
                  sum =
                      sum + load<S, E>(y + j, n, 0) * load<S, E>(gy + j, n, 0);
                });
            inner_.get()[row] =
                hn::GetLane(reduce_lanes(sum, [](Lanes<E> a, Lanes<E> b) {
                              return a + b;
                            }).v);
          }
        });
  }

  // Gradients of some queries and keys of a head of keys and values, and of the
  // heads that share it: of q, or of k and v, or both.
  void compute(int64_t index, const KeyRange& queries, const KeyRange& keys,
               bool wants_q, bool wants_kv) const {
    const int64_t item = index / args_.kv_heads;
    const int64_t kv_head = index % args_.kv_heads;
    const int64_t group = args_.heads / args_.kv_heads;
    const int64_t size = args_.size;
    const int64_t value_size = args_.value_size;
    const int64_t count = queries.end - queries.begin;
    const auto k = Base::rows_of(args_.k, item, kv_head);
    const auto v = Base::rows_of(args_.v, item, kv_head);
    const Buffer<E> weights(kQueries * kKeys);
    const Buffer<E> gradients(kQueries * kKeys);
    const Buffer<E> capped(args_.soft_cap != 0 ? kQueries * kKeys : 0);
    const Buffer<E> q_copy(Base::copied(kQueries * size));
    const Buffer<E> gy_copy(Base::copied(kQueries * value_size));
    const Buffer<E> k_copy(Base::copied(kKeys * size));
    const Buffer<E> v_copy(Base::copied(kKeys * value_size));
    const Buffer<E> gq(wants_q ? group * count * size : 0);
    const Buffer<E> gk(wants_kv ? kKeys * size : 0);
    const Buffer<E> gv(wants_kv ? kKeys * value_size : 0);
    if (wants_q) std::fill_n(gq.get(), group * count * size, E(0));

    for (int64_t begin = keys.begin; begin < keys.end; begin += kKeys) {
      const KeyRange block{begin, std::min(begin + kKeys, keys.end)};
      const int64_t width = block.end - block.begin;
      const Factor<E> k_block =
          Base::as_computed(k, block.begin, block.end, size, k_copy);
      const Factor<E> v_block =
          Base::as_computed(v, block.begin, block.end, value_size, v_copy);
      if (wants_kv) {
        std::fill_n(gk.get(), width * size, E(0));
        std::fill_n(gv.get(), width * value_size, E(0));
      }
      for (int64_t i = 0; i < group; ++i) {
        const int64_t head = kv_head * group + i;
        for (int64_t first = queries.begin; first < queries.end;
             first += kQueries) {
          const KeyRange seeing = Base::that_see(
              item, {first, std::min(first + kQueries, queries.end)}, block);
          const int64_t rows = seeing.end - seeing.begin;
          if (rows == 0) continue;
          const Factor<E> q =
              Base::as_computed(Base::rows_of(args_.q, item, head),
                                seeing.begin, seeing.end, size, q_copy);
          const Factor<E> gy =
              Base::as_computed(Base::rows_of(args_.gy, item, head),
                                seeing.begin, seeing.end, value_size, gy_copy);
          const Rows<E> p{weights.get(), kKeys};
          const Rows<E> gp{gradients.get(), kKeys};
          multiply<E>(rows, width, size, args_.scale, q,
                      {k_block.data, k_block.ld, true}, 0, p);
          multiply<E>(rows, width, value_size, 1, gy,
                      {v_block.data, v_block.ld, true}, 0, gp);
          for (int64_t row = 0; row < rows; ++row) {
            differentiate(item, head, seeing.begin + row, block, p.row(row),
                          gp.row(row), capped.get());
          }
          if (wants_kv) {
            multiply<E>(width, value_size, rows, 1, {p.data, kKeys, true}, gy,
                        1, {gv.get(), value_size});
            multiply<E>(width, size, rows, args_.scale, {gp.data, kKeys, true},
                        q, 1, {gk.get(), size});
          }
          if (wants_q) {
            E* const to =
                gq.get() + (i * count + seeing.begin - queries.begin) * size;
            multiply<E>(rows, size, width, args_.scale, {gp.data, kKeys},
                        k_block, 1, {to, size});
          }
        }
      }
      if (wants_kv) {
        write(args_.gk, item, kv_head, block, size, gk.get());
        write(args_.gv, item, kv_head, block, value_size, gv.get());
      }
    }
    if (wants_q) {
      for (int64_t i = 0; i < group; ++i) {
        write(args_.gq, item, kv_head * group + i, queries, size,
              gq.get() + i * count * size);
      }
    }
  }

  // Turns products of a query with a block's keys into weights after dropout,
  // and gradients of these weights into gradients of the products.
  HWY_INLINE void differentiate(int64_t item, int64_t head, int64_t query,
                                const KeyRange& block, E* weights, E* gradients,
                                E* capped) const {
    const KeyRange range = Base::overlap(args_.visible(item, query), block);
    const int64_t row = Base::row_index(item, head, query);
    const int64_t before = range.begin - block.begin;
    const int64_t count = range.end - range.begin;
    for (E* const x : {weights, gradients}) {
      std::fill_n(x, before, E(0));
      std::fill(x + before + count, x + (block.end - block.begin), E(0));
    }
    E* const p = weights + before;
    E* const gp = gradients + before;
    Base::finish_scores(item, head, query, range, p, capped);
    if (args_.dropout > 0) Base::drop(row, range, gp);
    const Lanes<E> log_sum(static_cast<const E*>(args_.log_sums)[row]);
    const Lanes<E> inner(inner_.get()[row]);
    const Lanes<E> inverse(
        static_cast<E>(args_.soft_cap == 0 ? 0 : 1 / args_.soft_cap));
    each_step<E>(0, count, [&](int64_t j, int64_t n) HWY_ATTR {
      const Lanes<E> weight = exp(load<E, E>(p + j, n, 0) - log_sum);
      Lanes<E> gradient = weight * (load<E, E>(gp + j, n, 0) - inner);
      if (args_.soft_cap != 0) {
        const Lanes<E> x = load<E, E>(capped + j, n, 0) * inverse;
        gradient = gradient * (Lanes<E>(E(1)) - x * x);
      }
      store<E>(weight, p + j, n);
      store<E>(gradient, gp + j, n);
    });
    if (args_.dropout > 0) Base::drop(row, range, p);
  }

  // Stores rows of `size` elements in a gradient, unless it is not wanted.
  static void write(const AttentionArgs::Operand& x, int64_t item, int64_t head,
                    const KeyRange& range, int64_t size, const E* rows) {
    if (x.data == nullptr) return;
    const auto to = Base::rows_of(x, item, head);
    for (int64_t i = range.begin; i < range.end; ++i) {
      S* const row = to.row(i);
      const E* const from = rows + (i - range.begin) * size;
      each_step<E>(0, size, [&](int64_t j, int64_t n) HWY_ATTR {
        store<S>(load<E, E>(from + j, n, 0), row + j, n);
      });
    }
  }

  Buffer<E> inner_;
};

}  // namespace

template <class T>
struct Loop<functions::AttentionForward, functions::AttentionForward, T> {
  static void run(const AttentionArgs& args) { ForwardTiles<T>(args).run(); }
};
template <class T>
struct Loop<functions::AttentionBackward, functions::AttentionBackward, T> {
  static void run(const AttentionArgs& args) { BackwardTiles<T>(args).run(); }
};

template <class T>
struct Loop<functions::AttentionFactors, functions::AttentionFactors, T> {
  static void run(const AttentionArgs& args, void* factors) {
    const int64_t rows = args.batch * args.heads * args.queries;
    catena::cpu::parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        T* const to = static_cast<T*>(factors) + row * args.keys;
        for (int64_t key = 0; key < args.keys; ++key) {
          to[key] = static_cast<T>(
              functions::dropout_factor(static_cast<uint64_t>(*args.seed),
                                        args.dropout, row, args.keys, key));
        }
      }
    });
  }
};

extern const auto kAttentionForward =
    register_kernels<functions::AttentionForward>();
extern const auto kAttentionBackward =
    register_kernels<functions::AttentionBackward>();
extern const auto kAttentionFactors =
    register_kernels<functions::AttentionFactors>();

}  // namespace catena::kernels::CATENA_BACKEND
