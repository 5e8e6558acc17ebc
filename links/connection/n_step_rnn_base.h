#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/functions/rnn/n_step_gru.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/initializers/initializers.h"

namespace catena::functions {
enum class NStepKind : uint8_t;
}  // namespace catena::functions

namespace catena::links {

// Base of the links around the n_step functions, which take sequences instead
// of steps. Children 0, 1, ... are the layers (forward, then backward direction
// in bidirectional links), with parameters w0, w1, ... and b0, b1, ... On a GPU
// these are views of one array, which cuDNN takes as it is.
class NStepRNNBase : public ChainList {
 public:
  int64_t n_layers() const { return n_layers_; }
  double dropout() const { return dropout_; }
  int64_t out_size() const { return out_size_; }

  // Weight j and bias j of layer l. Throws IndexError.
  Param& w(int64_t l, int64_t j) const;
  Param& b(int64_t l, int64_t j) const;

 protected:
  // The link's name, its cell, and whether it has two directions.
  struct Kind {
    std::string_view name;
    functions::NStepKind cell;
    bool is_bidirectional;
  };

  NStepRNNBase(const Kind& kind, int64_t n_layers, int64_t in_size,
               int64_t out_size, double dropout);

  NStepRNNBase(const NStepRNNBase& other);
  NStepRNNBase(NStepRNNBase&& other) = default;
  NStepRNNBase& operator=(const NStepRNNBase& other);
  NStepRNNBase& operator=(NStepRNNBase&& other) = default;

  void arrange_params() override { join_params(); }

  // The final states, and the outputs in the form of xs.
  template <class Sequences>
  struct Result {
    Variable hy;
    Variable cy;  // of an LSTM
    Sequences ys;
  };

  // Runs the layers on the steps of the sequences, which are sorted by
  // descending length for that, and restores their order. Undefined states
  // count as zeros; only an LSTM has cx.
  Result<std::vector<Variable>> run(const Variable& hx, const Variable& cx,
                                    std::span<const Variable> xs);
  // Sequences of one length, (B, T, in_size).
  Result<Variable> run(const Variable& hx, const Variable& cx,
                       const Variable& xs);

 private:
  // Makes the parameters views of one array, in the order of dense_layout().
  void join_params();
  int n_weights() const;
  bool has_cells() const;
  // The state, or zeros, for so many sequences.
  Variable state_for(const Variable& state, int64_t batch,
                     const Variable& x) const;
  // n_step_stack on the rows of all steps.
  Result<Variable> run_rows(const Variable& hx, const Variable& cx,
                            const Variable& rows,
                            const std::vector<int64_t>& batch_sizes) const;

  Kind kind_;
  int64_t n_layers_;
  int64_t in_size_;
  int64_t out_size_;
  double dropout_;
};

// Base of links whose only states are h.
class NStepHiddenRNNBase : public NStepRNNBase {
 public:
  functions::NStepResult forward(const Variable& hx,
                                 std::span<const Variable> xs);
  functions::NStepResult operator()(const Variable& hx,
                                    std::span<const Variable> xs) {
    return call_link(*this, hx, xs);
  }
  // Sequences of one length in one array, as in NStepLSTM.
  template <std::same_as<Variable> Sequences>
  functions::NStepArrays forward(const Variable& hx, const Sequences& xs) {
    auto [hy, cy, ys] = run(hx, {}, xs);
    return {std::move(hy), std::move(ys)};
  }
  template <std::same_as<Variable> Sequences>
  functions::NStepArrays operator()(const Variable& hx, const Sequences& xs) {
    return call_link(*this, hx, xs);
  }

 protected:
  using NStepRNNBase::NStepRNNBase;
};

}  // namespace catena::links
