#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct CtcOptions {
  NamedFieldsOnly keywords = {};
  // The number of valid steps and labels of each sequence, (B,), integers;
  // defaults to all.
  Array input_length = {};
  Array label_length = {};
  // "mean" over the batch, or "no" for the loss of each sequence.
  std::string_view reduce = "mean";
};

// The loss of connectionist temporal classification (A. Graves et al., 2006):
// -log of the probability that the steps, each read as one of V symbols, spell
// the labels when repetitions are merged and blanks left out. Computed in log
// space, so nothing underflows.
//
// x[i] holds the scores of step i before softmax, (B, V), for each of T steps,
// all of the same floating dtype; t is (B, L), integers from 0 to V - 1, and
// gets no gradient. Where there are fewer steps than the labels need, the loss
// is infinite and the gradient 0. Throws InvalidType when dtypes or shapes do
// not match or there are no steps; ValueError for a blank_symbol or a label
// outside [0, V), for lengths outside [1, T] and [0, L], which the message
// names, and for an unknown `reduce`. On CUDA, reading labels and lengths waits
// for the device. Gradients that are recorded, for second derivatives, take
// about 20 functions per step; Chainer has no second derivatives.
Variable connectionist_temporal_classification(std::span<const Variable> x,
                                               const Variable& t,
                                               int64_t blank_symbol,
                                               const CtcOptions& options = {});
Variable connectionist_temporal_classification(std::span<const Variable> x,
                                               const Array& t,
                                               int64_t blank_symbol,
                                               const CtcOptions& options = {});

}  // namespace catena::functions
