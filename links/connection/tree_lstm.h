#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

namespace catena::links {

// A child-sum Tree-LSTM layer, for tree nodes with any number of unordered
// children. The gates of functions::tree_lstm are
//
//   a, i, o = W_x_aio x + W_h_aio (sum of hs[k])    f_k = W_x_f x + W_h_f hs[k]
//
// where W_x_aio and W_x_f are the parts of W_x. (Tai, Socher and Manning,
// Improved semantic representations from tree-structured long short-term memory
// networks, 2015.)
class ChildSumTreeLSTM : public Chain<ChildSumTreeLSTM> {
 public:
  // Throws ValueError when a size is not positive.
  ChildSumTreeLSTM(int64_t in_size, int64_t out_size);

  // cs and hs are the children's states, each (B, out_size), or undefined for
  // zeros; x is (B, in_size), or undefined for zeros if a child has a state.
  // Returns c and h. Throws ValueError unless there are as many cs as hs and
  // something is defined, InvalidType when sizes do not match.
  std::array<Variable, 2> forward(std::span<const Variable> cs,
                                  std::span<const Variable> hs,
                                  const Variable& x);
  std::array<Variable, 2> operator()(std::span<const Variable> cs,
                                     std::span<const Variable> hs,
                                     const Variable& x) {
    return call_link(*this, cs, hs, x);
  }

  Child<Linear> W_x;      // in_size to 4 out_size, with biases
  Child<Linear> W_h_aio;  // out_size to 3 out_size, no biases
  Child<Linear> W_h_f;    // out_size to out_size, no biases

 private:
  int64_t in_size_;
  int64_t out_size_;
};

// An N-ary Tree-LSTM layer, for tree nodes with n_ary ordered children. The
// gates of functions::tree_lstm are
//
//   a, i, o, f_1, ... = W_x x + W_h1 hs[0] + W_h2 hs[1] + ...
//
// (Tai, Socher and Manning, 2015.)
class NaryTreeLSTM : public Chain<NaryTreeLSTM> {
 public:
  // Throws ValueError when a size or n_ary is not positive.
  NaryTreeLSTM(int64_t in_size, int64_t out_size, int64_t n_ary = 2);

  // Like ChildSumTreeLSTM, with n_ary cs and hs.
  std::array<Variable, 2> forward(std::span<const Variable> cs,
                                  std::span<const Variable> hs,
                                  const Variable& x);
  std::array<Variable, 2> operator()(std::span<const Variable> cs,
                                     std::span<const Variable> hs,
                                     const Variable& x) {
    return call_link(*this, cs, hs, x);
  }

  Child<Linear> W_x;  // in_size to (3 + n_ary) out_size, with biases
  // The link for child k, counted from 0, named W_h<k + 1>: out_size to (3 +
  // n_ary) out_size, no biases. Throws IndexError when out of range.
  Linear& W_h(int64_t k);

  int64_t n_ary() const { return n_ary_; }

 private:
  int64_t in_size_;
  int64_t out_size_;
  int64_t n_ary_;
};

}  // namespace catena::links
