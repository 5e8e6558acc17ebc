#include "catena/links/connection/tree_lstm.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/activation/tree_lstm.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/math/operators.h"
#include "catena/links/connection/positive_sizes.h"

namespace catena::links {
namespace {

// The arguments of a call, with zeros for undefined ones.
struct Node {
  std::vector<Variable> cs;
  std::vector<Variable> hs;
  Variable x;

  Node(std::string_view link, std::span<const Variable> given_cs,
       std::span<const Variable> given_hs, const Variable& given_x,
       int64_t in_size, int64_t out_size)
      : cs(given_cs.begin(), given_cs.end()),
        hs(given_hs.begin(), given_hs.end()),
        x(given_x) {
    if (cs.size() != hs.size()) {
      raise<ValueError>(link, ": expected as many cs as hs, got ", cs.size(),
                        " and ", hs.size());
    }
    const Variable* like = x.defined() ? &x : nullptr;
    for (const auto& states : {given_cs, given_hs}) {
      const auto it = std::ranges::find_if(states, &Variable::defined);
      if (like == nullptr && it != states.end()) like = &*it;
    }
    if (like == nullptr) {
      raise<ValueError>(link, ": expected x or a state to be defined");
    }
    const auto fill = [&](Variable& v, int64_t size) {
      if (v.defined()) return;
      v = as_variable(
          array::zeros({like->len(), size}, like->dtype(), like->device()));
    };
    const Variable model = *like;  // x may be what is filled
    like = &model;
    fill(x, in_size);
    for (Variable& c : cs) fill(c, out_size);
    for (Variable& h : hs) fill(h, out_size);
  }
};

Variable columns(const Variable& x, int64_t begin, int64_t end) {
  return functions::get_item(x, {Slice(), Slice(begin, end)});
}

}  // namespace

ChildSumTreeLSTM::ChildSumTreeLSTM(int64_t in_size, int64_t out_size)
    : W_x(this, "W_x", in_size,
          4 * check_positive("ChildSumTreeLSTM", "out_size", out_size)),
      W_h_aio(this, "W_h_aio", out_size, 3 * out_size,
              LinearOptions{.nobias = true}),
      W_h_f(this, "W_h_f", out_size, out_size, LinearOptions{.nobias = true}),
      in_size_(in_size),
      out_size_(out_size) {}

std::array<Variable, 2> ChildSumTreeLSTM::forward(std::span<const Variable> cs,
                                                  std::span<const Variable> hs,
                                                  const Variable& x) {
  const Node node("ChildSumTreeLSTM", cs, hs, x, in_size_, out_size_);
  const Variable from_x = W_x(node.x);
  Variable aio = columns(from_x, 0, 3 * out_size_);
  const int64_t rows = node.x.len();
  if (node.hs.empty()) {
    // A single child with zero state changes nothing.
    const Variable none =
        as_variable(array::zeros({rows, out_size_}, aio.dtype(), aio.device()));
    return functions::tree_lstm({none}, from_x);
  }
  Variable sum = node.hs[0];
  for (size_t k = 1; k < node.hs.size(); ++k) sum += node.hs[k];
  aio += W_h_aio(sum);
  const Variable f_from_x = columns(from_x, 3 * out_size_, 4 * out_size_);
  std::vector<Variable> gates{aio};
  // One product for all children.
  const Variable f_from_h = W_h_f(functions::concat(node.hs, {.axis = 0}));
  for (size_t k = 0; k < node.hs.size(); ++k) {
    const auto first = static_cast<int64_t>(k) * rows;
    gates.push_back(
        f_from_x + functions::get_item(f_from_h, {Slice(first, first + rows)}));
  }
  return functions::tree_lstm(node.cs, functions::concat(gates));
}

NaryTreeLSTM::NaryTreeLSTM(int64_t in_size, int64_t out_size, int64_t n_ary)
    : W_x(this, "W_x", in_size,
          (3 + check_positive("NaryTreeLSTM", "n_ary", n_ary)) *
              check_positive("NaryTreeLSTM", "out_size", out_size)),
      in_size_(in_size),
      out_size_(out_size),
      n_ary_(n_ary) {
  for (int64_t k = 1; k <= n_ary; ++k) {
    add_link("W_h" + std::to_string(k), Linear(out_size, (3 + n_ary) * out_size,
                                               LinearOptions{.nobias = true}));
  }
}

Linear& NaryTreeLSTM::W_h(int64_t k) {
  if (k < 0 || k >= n_ary_) {
    raise<IndexError>("NaryTreeLSTM: expected a child from 0 to ", n_ary_ - 1,
                      ", got ", k);
  }
  return static_cast<Linear&>((*this)["W_h" + std::to_string(k + 1)]);
}

std::array<Variable, 2> NaryTreeLSTM::forward(std::span<const Variable> cs,
                                              std::span<const Variable> hs,
                                              const Variable& x) {
  if (static_cast<int64_t>(cs.size()) != n_ary_) {
    raise<ValueError>("NaryTreeLSTM: expected ", n_ary_, " cs, got ",
                      cs.size());
  }
  const Node node("NaryTreeLSTM", cs, hs, x, in_size_, out_size_);
  Variable gates = W_x(node.x);
  for (int64_t k = 0; k < n_ary_; ++k) gates += W_h(k)(node.hs[k]);
  return functions::tree_lstm(node.cs, gates);
}

}  // namespace catena::links
