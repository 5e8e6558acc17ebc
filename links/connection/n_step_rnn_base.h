#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "catena/functions/rnn/n_step_gru.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {

// Base of the links around the n_step functions, which take sequences instead
// of steps. Children 0, 1, ... are the layers (forward, then backward direction
// in bidirectional links), with parameters w0, w1, ... and b0, b1, ...
class NStepRNNBase : public ChainList {
 public:
  int64_t n_layers() const { return n_layers_; }
  double dropout() const { return dropout_; }
  int64_t out_size() const { return out_size_; }

  // Weight j and bias j of layer l. Throws IndexError.
  Param& w(int64_t l, int64_t j) const;
  Param& b(int64_t l, int64_t j) const;

 protected:
  // A kind of cell: the link's name, the weights per layer, the number of
  // directions.
  struct Kind {
    std::string_view name;
    int n_weights;
    int directions;
  };

  NStepRNNBase(const Kind& kind, int64_t n_layers, int64_t in_size,
               int64_t out_size, double dropout);

  // The final states and the output sequences.
  struct Result {
    std::vector<Variable> states;
    std::vector<Variable> ys;
  };
  using Lists = std::vector<std::vector<Variable>>;
  // Applies the n_step function to sorted states and steps.
  using Function = std::function<Result(const std::vector<Variable>& states,
                                        const Lists& ws, const Lists& bs,
                                        const std::vector<Variable>& steps)>;

  // Sorts the sequences by descending length, calls the function on their
  // steps, and restores the order of xs. Undefined states count as zeros.
  Result run(std::vector<Variable> states, std::span<const Variable> xs,
             const Function& function);

 private:
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

 protected:
  using HiddenFunction = decltype(functions::n_step_gru);

  NStepHiddenRNNBase(const Kind& kind, HiddenFunction* function,
                     int64_t n_layers, int64_t in_size, int64_t out_size,
                     double dropout)
      : NStepRNNBase(kind, n_layers, in_size, out_size, dropout),
        function_(function) {}

 private:
  HiddenFunction* function_;
};

}  // namespace catena::links
