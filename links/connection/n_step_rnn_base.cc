#include "catena/links/connection/n_step_rnn_base.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/rnn/internal/n_step_stack.h"
#include "catena/functions/rnn/internal/n_step_weights.h"
#include "catena/links/connection/positive_sizes.h"

namespace catena::links {
namespace {

// The weights of one layer in one direction.
class Weights : public Link {
 public:
  Weights(int n_weights, int64_t in_size, int64_t out_size) {
    for (int j = 0; j < n_weights; ++j) {
      const int64_t columns = j < n_weights / 2 ? in_size : out_size;
      add_param("w" + std::to_string(j),
                initializers::Normal(std::sqrt(1.0 / columns)),
                Shape{out_size, columns});
      add_param("b" + std::to_string(j), 0, Shape{out_size});
    }
  }
};

// How the elements of concatenated sequences are rearranged into steps.
struct Order {
  std::vector<int64_t> sequences;  // by descending length
  std::vector<int64_t> sizes;      // of each step
  std::vector<int64_t> elements;   // in the order of the steps
  std::vector<int64_t> places;     // where each element went

  explicit Order(std::span<const Variable> xs) : sequences(xs.size()) {
    std::vector<int64_t> first(xs.size() + 1, 0);
    for (size_t i = 0; i < xs.size(); ++i)
      first[i + 1] = first[i] + xs[i].len();
    std::iota(sequences.begin(), sequences.end(), 0);
    std::ranges::stable_sort(sequences, std::greater(),
                             [&](int64_t i) { return xs[i].len(); });
    places.resize(first.back());
    for (int64_t t = 0;; ++t) {
      int64_t size = 0;
      for (const int64_t i : sequences) {
        if (xs[i].len() <= t) break;
        places[first[i] + t] = static_cast<int64_t>(elements.size());
        elements.push_back(first[i] + t);
        ++size;
      }
      if (size == 0) return;
      sizes.push_back(size);
    }
  }
};

std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> result(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    result[order[i]] = static_cast<int64_t>(i);
  }
  return result;
}

// x[indices] along an axis; x itself for the identity permutation.
Variable reordered(const Variable& x, const std::vector<int64_t>& indices,
                   int64_t axis) {
  if (std::ranges::is_sorted(indices)) return x;
  return functions::get_item(x, array::array(indices, std::nullopt, x.device()),
                             axis);
}

Variable joined(std::span<const Variable> xs) {
  return xs.size() == 1 ? xs[0] : functions::concat(xs, {.axis = 0});
}

std::vector<Variable> parts(const Variable& x, std::vector<int64_t> sizes) {
  std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
  sizes.pop_back();
  const Variables result = functions::split_axis(x, sizes, 0);
  return {result.begin(), result.end()};
}

}  // namespace

NStepRNNBase::NStepRNNBase(const Kind& kind, int64_t n_layers, int64_t in_size,
                           int64_t out_size, double dropout)
    : kind_(kind),
      n_layers_(check_positive(kind.name, "n_layers", n_layers)),
      in_size_(check_positive(kind.name, "in_size", in_size)),
      out_size_(check_positive(kind.name, "out_size", out_size)),
      dropout_(dropout) {
  if (!(dropout >= 0 && dropout < 1)) {
    raise<ValueError>(kind.name, ": expected dropout in [0, 1), got ", dropout);
  }
  const int64_t directions = kind.is_bidirectional ? 2 : 1;
  for (int64_t l = 0; l < n_layers; ++l) {
    for (int64_t d = 0; d < directions; ++d) {
      append(Weights(n_weights(), l == 0 ? in_size : out_size * directions,
                     out_size));
    }
  }
  join_params();
}

NStepRNNBase::NStepRNNBase(const NStepRNNBase& other)
    : ChainList(static_cast<const ChainList&>(other)),
      kind_(other.kind_),
      n_layers_(other.n_layers_),
      in_size_(other.in_size_),
      out_size_(other.out_size_),
      dropout_(other.dropout_) {
  // Shared arrays stay where they are.
  if (CopyModeScope::current() != CopyMode::kShare) join_params();
}

NStepRNNBase& NStepRNNBase::operator=(const NStepRNNBase& other) {
  return *this = NStepRNNBase(other);
}

void NStepRNNBase::join_params() {
  if (device().is_native()) return;
  std::vector<Param*> params;
  std::vector<Array> arrays;
  const auto add = [&](Param& param) {
    params.push_back(&param);
    arrays.push_back(param.data());
  };
  for (int64_t l = 0; l < size(); ++l) {
    for (int j = 0; j < n_weights(); ++j) add(w(l, j));
  }
  const size_t n_matrices = arrays.size();
  for (int64_t l = 0; l < size(); ++l) {
    for (int j = 0; j < n_weights(); ++j) add(b(l, j));
  }
  // Unless a user has replaced some of them by others.
  const auto fits = [&](const Array& a) {
    return a.defined() && a.device() == device() &&
           a.dtype() == arrays[0].dtype();
  };
  if (!std::ranges::all_of(arrays, fits)) return;
  const std::span<const Array> ws(arrays.data(), n_matrices);
  const std::span<const Array> bs(arrays.data() + n_matrices,
                                  arrays.size() - n_matrices);
  const functions::NStepWeightLayout layout = functions::dense_layout(ws, bs);
  const Array buffer = functions::pack_weights(layout, ws, bs);
  if (buffer.storage() == arrays[0].storage()) return;  // they are joined
  std::vector<Array> views = functions::unpacked_weights(buffer, layout.ws, ws);
  std::ranges::move(functions::unpacked_weights(buffer, layout.bs, bs),
                    std::back_inserter(views));
  for (size_t i = 0; i < views.size(); ++i) {
    params[i]->set_data(std::move(views[i]));
  }
}

int NStepRNNBase::n_weights() const {
  return 2 * functions::gate_count(kind_.cell);
}
bool NStepRNNBase::has_cells() const {
  return kind_.cell == functions::NStepKind::kLstm;
}

Param& NStepRNNBase::w(int64_t l, int64_t j) const {
  return (*this)[l].param("w" + std::to_string(j));
}
Param& NStepRNNBase::b(int64_t l, int64_t j) const {
  return (*this)[l].param("b" + std::to_string(j));
}

Variable NStepRNNBase::state_for(const Variable& state, int64_t batch,
                                 const Variable& x) const {
  const Shape shape{size(), batch, out_size_};
  if (!state.defined()) {
    return as_variable(array::zeros(shape, x.dtype(), x.device()));
  }
  if (state.shape() != shape) {
    raise<InvalidType>(kind_.name, ": expected states of shape ", shape,
                       ", got ", state.shape());
  }
  return state;
}

NStepRNNBase::Result<Variable> NStepRNNBase::run_rows(
    const Variable& hx, const Variable& cx, const Variable& rows,
    const std::vector<int64_t>& batch_sizes) const {
  std::vector<std::vector<Variable>> ws(size());
  std::vector<std::vector<Variable>> bs(size());
  for (int64_t l = 0; l < size(); ++l) {
    for (int j = 0; j < n_weights(); ++j) {
      ws[l].push_back(w(l, j));
      bs[l].push_back(b(l, j));
    }
  }
  auto result =
      functions::n_step_stack({kind_.name, kind_.cell, kind_.is_bidirectional,
                               n_layers_, dropout_, hx, ws, bs, cx},
                              functions::NStepRows{rows, batch_sizes});
  return {std::move(result.hy), std::move(result.cy), std::move(result.ys)};
}

NStepRNNBase::Result<std::vector<Variable>> NStepRNNBase::run(
    const Variable& hx, const Variable& cx, std::span<const Variable> xs) {
  if (xs.empty()) raise<ValueError>(kind_.name, ": expected nonempty xs");
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!xs[i].defined() || xs[i].ndim() != 2 || xs[i].shape()[1] != in_size_) {
      raise<InvalidType>(kind_.name, ": expected xs[", i,
                         "] of shape (length, ", in_size_, "), got ",
                         xs[i].defined() ? str(xs[i].shape()) : "none");
    }
  }
  const Order order(xs);
  if (order.sizes.empty()) {
    raise<ValueError>(kind_.name, ": expected at least one nonempty sequence");
  }
  const auto sorted = [&](const Variable& state) {
    return reordered(state_for(state, static_cast<int64_t>(xs.size()), xs[0]),
                     order.sequences, 1);
  };
  // Permutes the rows of all steps in one pass.
  Result<Variable> result =
      run_rows(sorted(hx), has_cells() ? sorted(cx) : Variable(),
               reordered(joined(xs), order.elements, 0), order.sizes);
  const std::vector<int64_t> back = inverse(order.sequences);
  std::vector<int64_t> lengths;
  for (const Variable& x : xs) lengths.push_back(x.len());
  return {reordered(result.hy, back, 1),
          has_cells() ? reordered(result.cy, back, 1) : Variable(),
          parts(reordered(result.ys, order.places, 0), lengths)};
}

NStepRNNBase::Result<Variable> NStepRNNBase::run(const Variable& hx,
                                                 const Variable& cx,
                                                 const Variable& xs) {
  if (!xs.defined() || xs.ndim() != 3 || xs.shape()[2] != in_size_) {
    raise<InvalidType>(kind_.name, ": expected xs of shape (B, length, ",
                       in_size_, "), or a list of sequences, got ",
                       xs.defined() ? str(xs.shape()) : "none");
  }
  const int64_t batch = xs.shape()[0];
  const int64_t length = xs.shape()[1];
  if (batch == 0 || length == 0) {
    raise<ValueError>(kind_.name,
                      ": expected at least one nonempty sequence, got xs of "
                      "shape ",
                      xs.shape());
  }
  const std::vector<int64_t> batch_sizes(static_cast<size_t>(length), batch);
  Result<Variable> result =
      run_rows(state_for(hx, batch, xs),
               has_cells() ? state_for(cx, batch, xs) : Variable(),
               functions::reshape(functions::transpose(xs, {1, 0, 2}),
                                  {length * batch, in_size_}),
               batch_sizes);
  const int64_t columns = result.ys.shape()[1];
  result.ys = functions::transpose(
      functions::reshape(result.ys, {length, batch, columns}), {1, 0, 2});
  return result;
}

functions::NStepResult NStepHiddenRNNBase::forward(
    const Variable& hx, std::span<const Variable> xs) {
  auto [hy, cy, ys] = run(hx, {}, xs);
  return {std::move(hy), std::move(ys)};
}

}  // namespace catena::links
