#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"

// The block functors of connectionist_temporal_classification. A path is the
// label sequence with blanks before, between and after the labels.
namespace catena::functions {

// Shared arguments. Everything but x and its gradient has the type computed in.
struct CtcArgs {
  static constexpr std::string_view kName =
      "connectionist_temporal_classification";

  int64_t steps;                // T
  int64_t batch;                // B
  int64_t symbols;              // V
  int64_t length;               // P, the longest path's
  const int32_t* step_counts;   // (B,)
  const int32_t* path_lengths;  // (B,)
  const int32_t* paths;         // (B, P), symbols
  const void* x;                // (T, B, V)
  void* log_sums;               // (T, B), of the exponentials of the scores
  void* losses;                 // (B,)

  // Extra elements before each row, which are read but never written.
  static constexpr int64_t kPadding = 2;
  CATENA_HOST_DEVICE int64_t padded() const { return length + kPadding; }
};

// log(exp(a) + exp(b) + exp(c)); -inf if all three are.
template <class T>
CATENA_HOST_DEVICE T log_sum_exp(T a, T b, T c) {
  const T m = math::max(a, math::max(b, c));
  const T min(-std::numeric_limits<float>::infinity());
  const T shift = math::select(m > min, m, T(0));
  return shift + math::log(math::exp(a - shift) + math::exp(b - shift) +
                           math::exp(c - shift));
}

// Log-probabilities of each path's symbols; one item per step of each sequence.
struct CtcEmissionsOp : CtcArgs {
  void* log_probs;  // (B, T, P)

  template <class Block>
  CATENA_HOST_DEVICE void operator()(const Block& block) const {
    using Element = typename Block::Element;
    const int64_t t = block.index() / batch;
    const int64_t b = block.index() % batch;
    if (t >= step_counts[b]) return;
    const auto* scores =
        static_cast<const typename Block::Stored*>(x) + block.index() * symbols;
    const Element m = block.max(
        symbols, [](auto x) { return x; }, scores);
    const Element s = block.sum(
        symbols, [m](auto x) { return math::exp(x - decltype(x)(m)); }, scores);
    const Element log_sum = m + math::log(s);
    block.write(static_cast<Element*>(log_sums) + block.index(), log_sum);
    Element* out = static_cast<Element*>(log_probs) + (b * steps + t) * length;
    const int32_t* path = paths + b * length;
    block.each(path_lengths[b], [&](int64_t s) {
      out[s] = static_cast<Element>(scores[path[s]]) - log_sum;
    });
  }
};

// Computes the loss by the forward recursion and, if a gradient is needed, the
// probability of each path position at each step given the labels, by the
// backward recursion; one item per sequence.
struct CtcPathsOp : CtcArgs {
  const void* log_probs;  // (B, T, P)
  // (B, P + 2): 0 where the position can be reached from two before, else -inf.
  const void* skips;
  void* places;   // (B, T, P + 2), initially -inf
  void* scratch;  // (B, 2, P + 2), initially -inf; null without gradient

  template <class Block>
  CATENA_HOST_DEVICE void operator()(const Block& block) const {
    using Element = typename Block::Element;
    const int64_t b = block.index();
    const int64_t n = path_lengths[b];
    const int64_t count = step_counts[b];
    const auto* log_p =
        static_cast<const Element*>(log_probs) + b * steps * length;
    const auto* skip = static_cast<const Element*>(skips) + b * padded();
    auto* alpha =
        static_cast<Element*>(places) + b * steps * padded() + kPadding;

    block.map(
        n < 2 ? n : 2, alpha, [](auto p) { return p; }, log_p);
    for (int64_t t = 1; t < count; ++t) {
      const Element* before = alpha + (t - 1) * padded();
      block.map(
          n, alpha + t * padded(),
          [](auto p, auto same, auto previous, auto second, auto skip) {
            return p + log_sum_exp(same, previous, second + skip);
          },
          log_p + t * length, before, before - 1, before - 2, skip);
    }
    const Element* last = alpha + (count - 1) * padded() + n - 1;
    const Element min = -std::numeric_limits<Element>::infinity();
    const Element log_likelihood = log_sum_exp(last[0], last[-1], min);
    block.write(static_cast<Element*>(losses) + b, -log_likelihood);
    if (scratch == nullptr || !(log_likelihood > min)) return;

    // beta[s] is the probability of the rest of the path after step t from
    // position s; onward[s] includes the symbol at t.
    auto* onward = static_cast<Element*>(scratch) + b * 2 * padded();
    auto* beta = onward + padded();
    block.each(n, [&](int64_t s) { beta[s] = s + 2 >= n ? Element(0) : min; });
    for (int64_t t = count - 1; t >= 0; --t) {
      if (t < count - 1) {
        block.map(
            n, beta,
            [](auto same, auto next, auto second, auto skip) {
              return log_sum_exp(same, next, second + skip);
            },
            onward, onward + 1, onward + 2, skip + 2);
      }
      block.map(
          n, onward, [](auto p, auto beta) { return p + beta; },
          log_p + t * length, beta);
      Element* place = alpha + t * padded();
      block.map(
          n, place,
          [log_likelihood](auto alpha, auto beta) {
            return math::exp(alpha + beta - decltype(alpha)(log_likelihood));
          },
          place, beta);
    }
  }
};

// gx = c (softmax(x) - the probability of each symbol given the labels), where
// c is gy, times 1 / B for the mean; one item per step of each sequence.
struct CtcGradientOp : CtcArgs {
  static constexpr std::string_view kName =
      "gradient of connectionist_temporal_classification";

  const void* places;  // (B, T, P + 2), as CtcPathsOp left it
  const void* gy;      // of the stored type
  int64_t gy_step;     // 1, or 0 where all sequences have one gy
  double scale;
  void* gx;  // (T, B, V)

  template <class Block>
  CATENA_HOST_DEVICE void operator()(const Block& block) const {
    using Element = typename Block::Element;
    using Stored = typename Block::Stored;
    const int64_t t = block.index() / batch;
    const int64_t b = block.index() % batch;
    const auto* scores =
        static_cast<const Stored*>(x) + block.index() * symbols;
    auto* out = static_cast<Stored*>(gx) + block.index() * symbols;
    const Element loss = static_cast<const Element*>(losses)[b];
    if (t >= step_counts[b] ||
        loss == std::numeric_limits<Element>::infinity()) {
      block.each(symbols, [&](int64_t i) { out[i] = Stored(0.0f); });
      return;
    }
    const Element c =
        static_cast<Element>(static_cast<const Stored*>(gy)[b * gy_step]) *
        static_cast<Element>(scale);
    const Element log_sum =
        static_cast<const Element*>(log_sums)[block.index()];
    block.map(
        symbols, out,
        [c, log_sum](auto x) {
          return math::exp(x - decltype(x)(log_sum)) * decltype(x)(c);
        },
        scores);
    const auto* place = static_cast<const Element*>(places) +
                        (b * steps + t) * padded() + kPadding;
    const int32_t* path = paths + b * length;
    // By one thread, since symbols repeat; blanks are summed at once, since
    // there are many.
    block.once([&] {
      Element blank(0);
      for (int64_t s = 0; s < path_lengths[b]; s += 2) blank += place[s];
      subtract(out[path[0]], c * blank);
      for (int64_t s = 1; s < path_lengths[b]; s += 2) {
        subtract(out[path[s]], c * place[s]);
      }
    });
  }

 private:
  template <class Stored, class Element>
  static CATENA_HOST_DEVICE void subtract(Stored& from, Element x) {
    from = static_cast<Stored>(static_cast<Element>(from) - x);
  }
};

using CtcOps = TypeList<CtcEmissionsOp, CtcPathsOp, CtcGradientOp>;

}  // namespace catena::functions
