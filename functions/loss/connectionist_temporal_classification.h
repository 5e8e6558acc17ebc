#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct CtcOptions {
  // How many steps and labels of each sequence count, (B,), integers; all of
  // them when undefined.
  Array input_length = {};
  Array label_length = {};
  // "mean" over the batch, or "no" for the loss of each sequence.
  std::string_view reduce = "mean";
};

// The loss of connectionist temporal classification (A. Graves et al., 2006):
// -log of the probability that the steps, each read as one of V symbols, spell
// the labels when repetitions are merged and blanks left out. Computed with
// logarithms, so nothing underflows.
//
// x has a (B, V) matrix of scores for each of T steps, before softmax, floating
// and of one dtype; t is (B, L), integers from 0 to V - 1, and gets no
// gradient. Where the labels do not fit into the steps, the loss is infinite
// and the gradient 0. InvalidType when dtypes or shapes do not fit or there is
// no step; ValueError for a blank_symbol or a label that is not in [0, V), for
// lengths not in [1, T] and [0, L], with all of them named, and for another
// `reduce`. On CUDA, reading labels and lengths waits for the device. Gradients
// cannot be differentiated, as in Chainer: NotImplementedError.
Variable connectionist_temporal_classification(std::span<const Variable> x,
                                               const Variable& t,
                                               int64_t blank_symbol,
                                               const CtcOptions& options = {});
Variable connectionist_temporal_classification(std::span<const Variable> x,
                                               const Array& t,
                                               int64_t blank_symbol,
                                               const CtcOptions& options = {});

}  // namespace catena::functions
