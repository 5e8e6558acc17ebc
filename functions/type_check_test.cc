// What functions reject: a case for each precondition that the tests of the
// functions themselves leave out.

#include <gtest/gtest.h>

#include <vector>

#include "catena/array/creation.h"
#include "catena/functions/functions.h"
#include "catena/tests/support/rejections.h"

namespace catena::functions {
namespace {

using testing::check_rejections;
using testing::f32;
using testing::f64;
using testing::i32;
using testing::integers;

TEST(TypeCheckTest, OfActivations) {
  check_rejections({
      {"c_prev.ndim >= 2",
       [] {
         lstm(f64({2}), f64({2, 4}));
       }},
      {"x.shape[2] == c_prev.shape[2]",
       [] {
         lstm(f64({2, 1, 3}), f64({2, 4, 2}));
       }},
      {"c_prev1.dtype is floating",
       [] {
         slstm(i32({2, 1}), i32({2, 1}), i32({2, 4}), i32({2, 4}));
       }},
      {"c_prev1.ndim >= 2",
       [] { slstm(f64({2}), f64({2}), f64({2}), f64({2})); }},
      {"x1.ndim == c_prev1.ndim",
       [] {
         slstm(f64({2, 1}), f64({2, 1}), f64({2, 4, 1}), f64({2, 4, 1}));
       }},
      {"x1.shape[0] == c_prev1.shape[0]",
       [] {
         slstm(f64({2, 1}), f64({2, 1}), f64({3, 4}), f64({3, 4}));
       }},
      {"x1.shape[2] == c_prev1.shape[2]",
       [] {
         slstm(f64({2, 1, 2}), f64({2, 1, 2}), f64({2, 4, 3}), f64({2, 4, 3}));
       }},
      {"in_types[0].ndim >= 2",
       [] {
         tree_lstm({f64({2})}, f64({2, 4}));
       }},
      {"in_types[1].ndim == in_types[0].ndim",
       [] {
         tree_lstm({f64({2, 1})}, f64({2, 4, 1}));
       }},
      {"in_types[1].shape[0] == in_types[0].shape[0]",
       [] {
         tree_lstm({f64({2, 1})}, f64({3, 4}));
       }},
      {"in_types[2].shape[1] == in_types[0].shape[1] * 5",
       [] {
         tree_lstm({f64({2, 1}), f64({2, 1})}, f64({2, 4}));
       }},
      {"in_types[1].shape[2] == in_types[0].shape[2]",
       [] {
         tree_lstm({f64({2, 1, 3})}, f64({2, 4, 2}));
       }},
  });
}

TEST(TypeCheckTest, OfArrayFunctions) {
  check_rejections({
      {"x.shape[1] % (r * r) == 0",
       [] {
         depth2space(f64({1, 6, 2, 2}), 2);
       }},
      {"x.shape[2] % r == 0",
       [] {
         space2depth(f64({1, 1, 3, 2}), 2);
       }},
      {"x.shape[3] % r == 0",
       [] {
         space2depth(f64({1, 1, 2, 3}), 2);
       }},
      {"x.shape[0] == indices.size",
       [] {
         permutate(f64({3, 2}), integers({2}));
       }},
      {"x.shape[0] == t.shape[0]",
       [] {
         select_item(f64({3, 2}), integers({2}));
       }},
      {"grid.ndim == 4",
       [] {
         spatial_transformer_sampler(f64({1, 1, 2, 2}), f64({1, 2, 2}));
       }},
      {"grid.shape[0] == x.shape[0]",
       [] {
         spatial_transformer_sampler(f64({1, 1, 2, 2}), f64({2, 2, 2, 2}));
       }},
      {"x.shape[0] % sections == 0", [] { split_axis(f64({3}), 2, 0); }},
      {"x.shape[0] >= index", [] { split_axis(f64({3}), {4}, 0); }},
      {"x.shape[0] == 1",
       [] {
         squeeze(f64({3, 1}), 0);
       }},
      {"in_types[0].shape[0] >= in_types[1].shape[0]",
       [] {
         transpose_sequence({f64({1, 2}), f64({2, 2})});
       }},
      {"in_types[0].ndim > 0", [] { pad_sequence({f64({})}); }},
      {"in_types[0].dtype == in_types[1].dtype",
       [] {
         pad_sequence({f64({2}), f32({2})});
       }},
      {"in_types[0].ndim == in_types[1].ndim",
       [] {
         pad_sequence({f64({2}), f64({2, 1})});
       }},
      {"in_types[0].shape[1] == in_types[1].shape[1]",
       [] {
         pad_sequence({f64({2, 1}), f64({2, 2})});
       }},
      {"in_types[0].dtype == in_types[1].dtype",
       [] {
         concat({f64({2, 1}), f32({2, 1})});
       }},
      {"in_types[0].ndim == in_types[1].ndim",
       [] {
         concat({f64({2, 1}), f64({2, 1, 1})});
       }},
      {"in_types[0].shape[0] == in_types[1].shape[0]",
       [] {
         concat({f64({2, 1}), f64({3, 1})});
       }},
      {"x.dtype == y.dtype",
       [] { where(array::ones({2}, Dtype::kBool), f64({2}), f32({2})); }},
  });
}

TEST(TypeCheckTest, OfEvaluations) {
  const Variable y = f64({2, 3, 4});
  check_rejections({
      {"y.dtype is floating",
       [] {
         accuracy(i32({2, 3}), i32({2}));
       }},
      {"y.ndim >= 2", [] { accuracy(f64({2}), i32({2})); }},
      {"t.ndim >= 1",
       [] {
         accuracy(f64({2, 3}), i32({}));
       }},
      {"t.ndim <= y.ndim",
       [] {
         accuracy(f64({2, 3}), i32({2, 1, 1}));
       }},
      {"y.shape[2] == t.shape[1]",
       [&] {
         accuracy(y, i32({2, 3}));
       }},
      {"y.shape[2] == 1", [&] { accuracy(y, i32({2})); }},
      {"y.dtype is floating", [] { binary_accuracy(i32({2}), i32({2})); }},
      {"y.dtype is floating",
       [] {
         precision(i32({2, 3}), i32({2}));
       }},
      {"y.ndim >= 2", [] { recall(f64({2}), i32({2})); }},
      {"y.shape[2] == t.shape[1]",
       [&] {
         f1_score(y, i32({2, 3}));
       }},
      {"pred.dtype is floating", [] { r2_score(i32({2}), i32({2})); }},
      {"pred.dtype == truth.dtype", [] { r2_score(f64({2}), f32({2})); }},
      {"pred.ndim >= 1", [] { r2_score(f64({}), f64({})); }},
  });
}

TEST(TypeCheckTest, OfSampledLosses) {
  const Variable x = f64({2, 3});
  const Variable W = f64({5, 3});
  const Array t = integers({2});
  const auto sampler = [](const Shape& shape) { return integers(shape); };
  check_rejections({
      {"samples.dtype is an integer",
       [&] {
         black_out(x, as_variable(t), W, f64({2, 1}));
       }},
      {"W.dtype == x.dtype",
       [&] {
         black_out(x, t, f32({5, 3}), integers({2, 1}));
       }},
      {"W.ndim == 2",
       [&] {
         black_out(x, t, f64({5}), integers({2, 1}));
       }},
      {"x.shape[0] == samples.shape[0]",
       [&] {
         black_out(x, t, W, integers({3, 1}));
       }},
      {"W.dtype == x.dtype",
       [&] {
         negative_sampling(x, t, f32({5, 3}), sampler, 1);
       }},
      {"W.ndim == 2", [&] { negative_sampling(x, t, f64({5}), sampler, 1); }},
  });
}

TEST(TypeCheckTest, OfSequenceLosses) {
  const Array t = integers({2, 1});
  const auto ctc = [&](const std::vector<Variable>& x) {
    return [=] { connectionist_temporal_classification(x, t, 0); };
  };
  const auto crf = [](const Variable& cost, const Variable& x) {
    return [=] {
      crf1d(cost, std::vector<Variable>{x},
            std::vector<Array>{integers({x.shape()[0]})});
    };
  };
  check_rejections({
      {"in_types[0].dtype is floating", ctc({i32({2, 3})})},
      {"in_types[0].ndim == 2", ctc({f64({2})})},
      {"in_types[1].dtype == in_types[0].dtype",
       ctc({f64({2, 3}), f32({2, 3})})},
      {"in_types[1].shape == in_types[0].shape",
       ctc({f64({2, 3}), f64({2, 4})})},
      {"cost.dtype is floating", crf(i32({3, 3}), f64({2, 3}))},
      {"cost.ndim == 2", crf(f64({3}), f64({2, 3}))},
      {"x.dtype == cost.dtype", crf(f64({3, 3}), f32({2, 3}))},
      {"cost.shape[0] == cost.shape[1]", crf(f64({3, 2}), f64({2, 3}))},
  });
}

TEST(TypeCheckTest, OfOtherLosses) {
  const Variable pixels = f64({1, 2, 3, 4});
  const auto clustering = [](const Variable& x, const Variable& t) {
    return
        [=] { discriminative_margin_based_clustering_loss(x, t, 0.5, 1, 2); };
  };
  check_rejections({
      {"y.ndim == 1",
       [] {
         contrastive(f64({2, 3}), f64({2, 3}), integers({2, 1}));
       }},
      {"y.dtype is floating",
       [] {
         cross_covariance(i32({2, 3}), i32({2, 3}));
       }},
      {"y.dtype == z.dtype",
       [] {
         cross_covariance(f64({2, 3}), f32({2, 3}));
       }},
      {"y.ndim == 2",
       [] {
         cross_covariance(f64({2}), f64({2, 3}));
       }},
      {"z.ndim == 2",
       [] {
         cross_covariance(f64({2, 3}), f64({2}));
       }},
      {"embeddings.dtype is floating",
       clustering(i32({1, 2, 3, 4}), i32({1, 3, 4}))},
      {"embeddings.ndim == 4", clustering(f64({1, 2, 3}), i32({1, 3, 4}))},
      {"labels.ndim == 3", clustering(pixels, i32({1, 3}))},
      {"embeddings.shape[0] == labels.shape[0]",
       clustering(pixels, i32({2, 3, 4}))},
      {"embeddings.shape[3] == labels.shape[2]",
       clustering(pixels, i32({1, 3, 5}))},
      {"x.ndim >= 2", [] { softmax_cross_entropy(f64({2}), i32({2})); }},
      {"t.ndim == 1",
       [] {
         softmax_cross_entropy(f64({2, 3}), i32({2, 1}));
       }},
      {"x.shape[2] == t.shape[1]",
       [] {
         softmax_cross_entropy(f64({2, 3, 4}), i32({2, 3}));
       }},
  });
}

TEST(TypeCheckTest, OfMathematics) {
  check_rejections({
      {"a.shape[0] == b.shape[0]",
       [] {
         batch_matmul(f64({2, 3, 3}), f64({3, 3, 3}));
       }},
      {"real.shape[-1] > 0",
       [] {
         fft(f64({2, 0}), f64({2, 0}));
       }},
      {"a.ndim == 2",
       [] {
         inv(f64({2, 3, 3}));
       }},
      {"a.shape[-1] == a.shape[-2]",
       [] {
         inv(f64({2, 3}));
       }},
      {"a.ndim >= 1", [] { matmul(f64({}), f64({2})); }},
      {"a.shape[-1] == b.shape[-2]",
       [] {
         matmul(f64({2, 3}), f64({2, 3}));
       }},
      {"a.shape[1] == b.shape[0]",
       [] {
         tensordot(f64({2, 3}), f64({2, 3}), 1);
       }},
      {"a.ndim >= axes",
       [] {
         tensordot(f64({2}), f64({2, 3}), 2);
       }},
      {"b.ndim >= axes",
       [] {
         tensordot(f64({2, 3}), f64({2}), 2);
       }},
      {"mean.dtype == ln_var.dtype", [] { gaussian(f64({2}), f32({2})); }},
      {"mean.shape == ln_var.shape", [] { gaussian(f64({2}), f64({3})); }},
      {"mean.dtype is floating", [] { gaussian(i32({2}), i32({2})); }},
      {"x.ndim >= 2",
       [] {
         simplified_dropconnect(f64({2}), f64({3, 2}));
       }},
      {"W.ndim == 2",
       [] {
         simplified_dropconnect(f64({2, 2}), f64({3}));
       }},
      {"b.ndim == 1",
       [] {
         simplified_dropconnect(f64({2, 2}), f64({3, 2}), f64({3, 1}));
       }},
      {"b.shape[0] == W.shape[0]",
       [] {
         simplified_dropconnect(f64({2, 2}), f64({3, 2}), f64({2}));
       }},
  });
}

TEST(TypeCheckTest, OfNormalizationsAndPooling) {
  const Variable x = f64({2, 4, 3});
  const Variable c = f64({4});
  check_rejections({
      {"x.dtype is floating",
       [&] {
         batch_normalization(i32({2, 4}), c, c);
       }},
      {"gamma.dtype is floating",
       [&] { batch_normalization(x, i32({4}), i32({4})); }},
      {"beta.dtype == gamma.dtype",
       [&] { batch_normalization(x, c, f32({4})); }},
      {"gamma.ndim == 1",
       [&] {
         batch_normalization(x, f64({4, 3}), c);
       }},
      {"gamma.shape[0] == x.shape[1]",
       [&] { batch_normalization(x, f64({3}), c); }},
      {"x.dtype is floating",
       [&] {
         decorrelated_batch_normalization(i32({2, 4}), {.groups = 2});
       }},
      {"x.dtype is floating",
       [&] {
         group_normalization(i32({2, 4}), 2, c, c);
       }},
      {"gamma.dtype == x.dtype",
       [&] { group_normalization(x, 2, f32({4}), c); }},
      {"gamma.ndim == 1",
       [&] {
         group_normalization(x, 2, f64({4, 1}), c);
       }},
      {"gamma.shape[0] == x.shape[1]",
       [&] { group_normalization(x, 2, f64({3}), c); }},
      {"x.dtype is floating",
       [&] {
         layer_normalization(i32({2, 4}), c, c);
       }},
      {"gamma.dtype == x.dtype",
       [&] {
         layer_normalization(f64({2, 4}), f32({4}), c);
       }},
      {"gamma.ndim == 1",
       [&] {
         layer_normalization(f64({2, 4}), f64({4, 1}), c);
       }},
      {"gamma.shape[0] == x.shape[1]",
       [&] {
         layer_normalization(f64({2, 4}), f64({3}), c);
       }},
      {"x.dtype is floating",
       [] {
         normalize(i32({2, 4}));
       }},
      {"x.dtype is floating",
       [] {
         unpooling_2d(i32({1, 1, 2, 2}), 2);
       }},
      {"x.ndim == 4",
       [] {
         average_pooling_2d(f64({1, 1, 2}), 2);
       }},
  });
}

}  // namespace
}  // namespace catena::functions
