// Losses and evaluations: labels, samples, lengths and numbers of classes.

#include "catena/array/all.h"
#include "catena/functions/functions.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

namespace F = functions;

Variable scores() { return variable({3, 4}); }

ArgumentCases classifications() {
  return {
      {"functions::softmax_cross_entropy", "t",
       [](const Array& t) { return F::softmax_cross_entropy(scores(), t); }},
      {"functions::softmax_cross_entropy", "t",
       [](const Array& t) {
         return F::softmax_cross_entropy(
             scores(), t, {.class_weight = floats({4}), .reduce = "no"});
       }},
      {"functions::softmax_cross_entropy", "t",
       [](const Array& t) {
         return F::softmax_cross_entropy(scores(), Variable(t),
                                         {.enable_double_backprop = true});
       }},
      {"functions::softmax_cross_entropy", "ignore_label",
       [](int64_t n) {
         return F::softmax_cross_entropy(scores(), labels({3}),
                                         {.ignore_label = n});
       }},
      {"functions::softmax_cross_entropy", "t",
       [](const Array& t) {
         return F::softmax_cross_entropy(scores(), t, {.label_smoothing = 0.1});
       }},
      {"functions::linear_cross_entropy", "t",
       [](const Array& t) {
         return F::linear_cross_entropy(variable({3, 2}), variable({4, 2}), t);
       }},
      {"functions::linear_cross_entropy", "ignore_label",
       [](int64_t n) {
         return F::linear_cross_entropy(variable({3, 2}), variable({4, 2}),
                                        labels({3}), {.ignore_label = n});
       }},
      {"functions::sigmoid_cross_entropy", "t",
       [](const Array& t) {
         return F::sigmoid_cross_entropy(variable({3}), t);
       }},
      {"functions::hinge", "t",
       [](const Array& t) { return F::hinge(scores(), Variable(t)); }},
      {"functions::hinge", "t",
       [](const Array& t) {
         return F::hinge(scores(), Variable(t), {.norm = "L2"});
       }},
      {"functions::accuracy", "t",
       [](const Array& t) { return F::accuracy(scores(), t); }},
      {"functions::accuracy", "ignore_label",
       [](int64_t n) {
         return F::accuracy(scores(), labels({3}), {.ignore_label = n});
       }},
      {"functions::binary_accuracy", "t",
       [](const Array& t) {
         return F::binary_accuracy(variable({3}), Variable(t));
       }},
  };
}

template <class Function, class Options>
void add_summary(ArgumentCases& cases, const std::string& name,
                 Function function, const Options& /*options*/) {
  cases.push_back({"functions::" + name, "t", [=](const Array& t) {
                     function(scores(), Variable(t), Options());
                   }});
  cases.push_back({"functions::" + name, "label_num", [=](int64_t n) {
                     function(scores(), Variable(labels({3})),
                              Options{.label_num = n});
                   }});
  cases.push_back({"functions::" + name, "ignore_label", [=](int64_t n) {
                     function(scores(), Variable(labels({3})),
                              Options{.ignore_label = n});
                   }});
}

ArgumentCases summaries() {
  ArgumentCases cases;
  add_summary(cases, "classification_summary", F::classification_summary,
              F::ClassificationSummaryOptions());
  const F::ClassificationOptions options;
  add_summary(cases, "precision", F::precision, options);
  add_summary(cases, "recall", F::recall, options);
  add_summary(cases, "f1_score", F::f1_score, options);
  return cases;
}

ArgumentCases words() {
  const auto W = [] { return variable({5, 4}); };
  const F::Sampler sampler = [](const Shape& shape) {
    return array::zeros(shape, Dtype::kInt32);
  };
  return {
      {"functions::embed_id", "x",
       [=](const Array& x) { return F::embed_id(x, W()); }},
      {"functions::embed_id", "x",
       [=](const Array& x) {
         return F::embed_id(Variable(x), W(), {.ignore_label = -1});
       }},
      {"functions::embed_id", "ignore_label",
       [=](int64_t n) {
         return F::embed_id(labels({3}), W(), {.ignore_label = n});
       }},
      {"functions::negative_sampling", "t",
       [=](const Array& t) {
         return F::negative_sampling(scores(), t, W(), sampler, 2);
       }},
      {"functions::negative_sampling", "sampler",
       [=](const Array& at) {
         const auto extreme = [&](const Shape& shape) {
           return at.reshape({3, 1}).broadcast_to(shape).copy();
         };
         return F::negative_sampling(scores(), labels({3}), W(), extreme, 2);
       }},
      {"functions::negative_sampling", "sample_size",
       [=](int64_t n) {
         return F::negative_sampling(scores(), labels({3}), W(), sampler, n);
       }},
      {"functions::black_out", "t",
       [=](const Array& t) {
         return F::black_out(scores(), t, W(), labels({3, 2}));
       }},
      {"functions::black_out", "samples",
       [=](const Array& at) {
         return F::black_out(scores(), labels({3}), W(), at.reshape({3, 1}));
       }},
  };
}

ArgumentCases sequences() {
  const auto steps = [] { return variables(4, {3, 4}); };
  const auto lengths = [=](const F::CtcOptions& options) {
    return F::connectionist_temporal_classification(steps(), labels({3, 2}), 3,
                                                    options);
  };
  return {
      {"functions::connectionist_temporal_classification", "t",
       [=](const Array& t) {
         return F::connectionist_temporal_classification(steps(),
                                                         t.reshape({3, 1}), 3);
       }},
      {"functions::connectionist_temporal_classification", "blank_symbol",
       [=](int64_t n) {
         return F::connectionist_temporal_classification(steps(),
                                                         labels({3, 2}), n);
       }},
      {"functions::connectionist_temporal_classification", "input_length",
       [=](const Array& at) { return lengths({.input_length = at}); }},
      {"functions::connectionist_temporal_classification", "label_length",
       [=](const Array& at) { return lengths({.label_length = at}); }},
      {"functions::crf1d", "ys",
       [=](const Array& ys) {
         const std::vector<Array> all = {ys, labels({3}), ys, ys};
         return F::crf1d(variable({4, 4}), steps(), all);
       }},
      {"functions::discriminative_margin_based_clustering_loss", "labels",
       [](const Array& at) {
         return F::discriminative_margin_based_clustering_loss(
             variable({1, 2, 1, 3}), Variable(at.reshape({1, 1, 3})), 0.5, 1.5,
             2);
       }},
      {"functions::discriminative_margin_based_clustering_loss",
       "max_embedding_dim",
       [](int64_t n) {
         return F::discriminative_margin_based_clustering_loss(
             variable({1, 2, 1, 3}), Variable(labels({1, 1, 3})), 0.5, 1.5, n);
       }},
      {"functions::discriminative_margin_based_clustering_loss", "norm",
       [](int64_t n) {
         return F::discriminative_margin_based_clustering_loss(
             variable({1, 2, 1, 3}), Variable(labels({1, 1, 3})), 0.5, 1.5, 2,
             {.norm = n});
       }},
  };
}

// A product with a 4 by 4 matrix that has three elements.
ArgumentCases sparse_matrices() {
  const auto matrix = [](const Array& row, const Array& column) {
    return F::CooMatrix{variable({3}), row, column, {4, 4}};
  };
  return {
      {"functions::sparse_matmul", "a",
       [=](const Array& at) {
         return F::sparse_matmul(matrix(at, at), variable({4, 2}));
       }},
      {"functions::sparse_matmul", "a",
       [=](const Array& at) {
         return F::sparse_matmul(matrix(at, labels({3})), variable({4, 2}));
       }},
      {"functions::sparse_matmul", "a",
       [](const Shape& shape) {
         const F::CooMatrix a = {variable({3}), labels({3}), labels({3}),
                                 shape};
         return F::sparse_matmul(a, variable({4, 2}));
       }},
      {"functions::sparse_matmul", "b",
       [=](const Array& at) {
         return F::sparse_matmul(variable({2, 4}), matrix(labels({3}), at));
       }},
      {"functions::to_coo", "nnz",
       [](int64_t n) {
         return F::to_coo(floats({2, 2}), n).data;
       }},
  };
}

}  // namespace

ArgumentCases function_loss_cases() {
  ArgumentCases cases = classifications();
  for (const ArgumentCases& more :
       {summaries(), words(), sequences(), sparse_matrices()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
