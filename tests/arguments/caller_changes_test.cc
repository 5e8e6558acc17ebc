// The caller writes to index, label and region arrays between forward and
// backward: the gradients stay as they are, or there is an Error.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/all.h"
#include "catena/autograd/autograd.h"
#include "catena/functions/functions.h"
#include "catena/links/links.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

namespace F = functions;
using Arrays = std::vector<Array>;

// A function of `inputs` and of arrays that get no gradient, `kept`, which the
// caller may go on using.
struct KeepingFunction {
  std::string name;
  std::vector<Shape> inputs;
  Arrays kept;
  std::function<Variable(const Variables& xs, const Arrays& kept)> call;
};

// What the caller writes: no valid index, label or coordinate.
void overwrite(const Array& a, double value) {
  switch (a.dtype()) {
    case Dtype::kBool:
      a.assign(array::logical_not(a));
      break;
    case Dtype::kInt32:
      a.fill(value < 0 ? INT32_MIN : INT32_MAX);
      break;
    case Dtype::kInt64:
      a.fill(value < 0 ? INT64_MIN : INT64_MAX);
      break;
    default:
      a.fill(value);
  }
}
constexpr double kValues[] = {-1e30, 1e30,
                              std::numeric_limits<double>::quiet_NaN()};

// When the caller writes.
enum class Moment {
  kNever,
  kBeforeBackward,
  kBeforeSecondBackward,
};

// The gradients of the inputs, and those of the sum of the gradients' squares.
// Nullopt where there is an Error.
std::optional<Arrays> gradients(const KeepingFunction& function, Moment moment,
                                double value) {
  Variables xs;
  for (const Shape& shape : function.inputs) xs.push_back(variable(shape));
  Arrays kept;
  for (const Array& a : function.kept) kept.push_back(a.copy());
  const auto change_at = [&](Moment now) {
    if (moment != now) return;
    for (const Array& a : kept) overwrite(a, value);
  };
  try {
    Variable y = function.call(xs, kept);
    change_at(Moment::kBeforeBackward);
    y.set_grad(array::ones_like(y.data()));
    y.backward({.enable_double_backprop = true});
    Arrays result;
    Variable squares;
    for (const Variable& x : xs) {
      const Variable gx = x.grad_var();
      if (!gx.defined()) continue;
      result.push_back(gx.data().copy());
      const Variable sum = F::sum(F::square(gx));
      squares = squares.defined() ? squares + sum : sum;
    }
    for (Variable& x : xs) x.cleargrad();
    change_at(Moment::kBeforeSecondBackward);
    squares.backward();
    for (const Variable& x : xs) {
      if (x.grad().defined()) result.push_back(x.grad().copy());
    }
    return result;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool are_same(const Arrays& a, const Arrays& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].shape() != b[i].shape()) return false;
    if (!array::allclose(a[i], b[i],
                         {.rtol = 0, .atol = 0, .equal_nan = true})) {
      return false;
    }
  }
  return true;
}

void expect_unchanged(const KeepingFunction& function) {
  const auto expected = gradients(function, Moment::kNever, 0);
  ASSERT_TRUE(expected.has_value()) << function.name;
  ASSERT_FALSE(expected->empty()) << function.name;
  for (const Moment moment :
       {Moment::kBeforeBackward, Moment::kBeforeSecondBackward}) {
    for (const double value : kValues) {
      const auto found = gradients(function, moment, value);
      EXPECT_TRUE(!found || are_same(*found, *expected))
          << function.name << ": " << value << " written before "
          << (moment == Moment::kBeforeBackward ? "backward"
                                                : "the second backward")
          << " changes a gradient";
    }
  }
}

// Three labels of four classes, as int32 or as int64.
Arrays of_both_dtypes(const Array& a) { return {a, a.astype(Dtype::kInt64)}; }

using Call = std::function<Variable(const Variables& xs, const Arrays& kept)>;
void expect_labels_unchanged(const std::string& name,
                             const std::vector<Shape>& inputs,
                             const Array& indices, const Call& call) {
  for (const Array& one : of_both_dtypes(indices)) {
    expect_unchanged({str(name, " ", one.dtype()), inputs, {one}, call});
  }
}

TEST(CallerChangesTest, LabelsOfLossesMayBeWrittenTo) {
  const std::vector<Shape> scores = {{3, 4}};
  const Array t = labels({3});
  expect_labels_unchanged("softmax_cross_entropy", scores, t,
                          [](auto& xs, auto& kept) {
                            return F::softmax_cross_entropy(xs[0], kept[0]);
                          });
  expect_labels_unchanged(
      "softmax_cross_entropy of a variable", scores, t,
      [](auto& xs, auto& kept) {
        return F::softmax_cross_entropy(
            xs[0], Variable(kept[0]),
            {.reduce = "no", .enable_double_backprop = true});
      });
  expect_unchanged({"softmax_cross_entropy with weights",
                    scores,
                    {t, floats({4})},
                    [](auto& xs, auto& kept) {
                      return F::softmax_cross_entropy(
                          xs[0], kept[0], {.class_weight = kept[1]});
                    }});
  expect_unchanged({"softmax_cross_entropy with weights and smoothing",
                    scores,
                    {t, floats({4})},
                    [](auto& xs, auto& kept) {
                      return F::softmax_cross_entropy(
                          xs[0], kept[0],
                          {.class_weight = kept[1], .label_smoothing = 0.1});
                    }});
  expect_labels_unchanged(
      "linear_cross_entropy", {{3, 2}, {4, 2}}, t, [](auto& xs, auto& kept) {
        return F::linear_cross_entropy(xs[0], xs[1], kept[0]);
      });
  expect_labels_unchanged("sigmoid_cross_entropy", {{3}},
                          array::remainder(t, 2), [](auto& xs, auto& kept) {
                            return F::sigmoid_cross_entropy(xs[0], kept[0]);
                          });
  for (const char* norm : {"L1", "L2"}) {
    expect_labels_unchanged("hinge", scores, t, [=](auto& xs, auto& kept) {
      return F::hinge(xs[0], Variable(kept[0]), {.norm = norm});
    });
  }
  expect_labels_unchanged("contrastive", {{3, 2}, {3, 2}},
                          array::remainder(t, 2), [](auto& xs, auto& kept) {
                            return F::contrastive(xs[0], xs[1] * 2,
                                                  Variable(kept[0]));
                          });
  expect_labels_unchanged("discriminative_margin_based_clustering_loss",
                          {{1, 2, 1, 3}}, t.reshape({1, 1, 3}),
                          [](auto& xs, auto& kept) {
                            const auto [variance, distance, size] =
                                F::discriminative_margin_based_clustering_loss(
                                    xs[0], Variable(kept[0]), 0.1, 1.5, 2);
                            return variance + distance + size;
                          });
}

TEST(CallerChangesTest, WordsMayBeWrittenTo) {
  const Array t = labels({3});
  const auto sampler = [](const Shape& shape) {
    return array::ones(shape, Dtype::kInt32);
  };
  expect_labels_unchanged("embed_id", {{5, 4}}, t, [](auto& xs, auto& kept) {
    return F::embed_id(kept[0], xs[0]);
  });
  expect_labels_unchanged(
      "embed_id of a variable", {{5, 4}}, t, [](auto& xs, auto& kept) {
        return F::embed_id(Variable(kept[0]), xs[0], {.ignore_label = 1});
      });
  expect_labels_unchanged(
      "negative_sampling", {{3, 4}, {5, 4}}, t, [=](auto& xs, auto& kept) {
        return F::negative_sampling(xs[0], kept[0], xs[1], sampler, 2);
      });
  expect_labels_unchanged("negative_sampling's samples", {{3, 4}, {5, 4}},
                          labels({3, 3}), [=](auto& xs, auto& kept) {
                            return F::negative_sampling(
                                xs[0], labels({3}), xs[1],
                                [&](const Shape&) { return kept[0]; }, 2);
                          });
  expect_labels_unchanged(
      "black_out", {{3, 4}, {5, 4}}, t, [](auto& xs, auto& kept) {
        return F::black_out(xs[0], kept[0], xs[1], labels({3, 2}));
      });
  expect_labels_unchanged("black_out's samples", {{3, 4}, {5, 4}},
                          labels({3, 2}), [](auto& xs, auto& kept) {
                            return F::black_out(xs[0], Variable(labels({3})),
                                                xs[1], Variable(kept[0]));
                          });
  expect_labels_unchanged(
      "BinaryHierarchicalSoftmax", {{3, 4}}, t, [](auto& xs, auto& kept) {
        links::BinaryHierarchicalSoftmax link(4, {{0, 1}, 2});
        link.W.data().fill(0.5);
        return link(xs[0], Variable(kept[0]));
      });
}

TEST(CallerChangesTest, LabelsOfSequencesMayBeWrittenTo) {
  const std::vector<Shape> steps(4, Shape{3, 4});
  expect_labels_unchanged("connectionist_temporal_classification", steps,
                          labels({3, 2}), [](auto& xs, auto& kept) {
                            return F::connectionist_temporal_classification(
                                xs, kept[0], 3);
                          });
  expect_unchanged({"connectionist_temporal_classification with lengths",
                    steps,
                    {labels({3, 2}), array::array(std::vector<int>{4, 3, 4}),
                     array::array(std::vector<int>{2, 1, 0})},
                    [](auto& xs, auto& kept) {
                      return F::connectionist_temporal_classification(
                          xs, Variable(kept[0]), 3,
                          {.input_length = kept[1], .label_length = kept[2]});
                    }});
  const std::vector<Shape> with_cost = {{3, 4}, {3, 4}, {4, 4}};
  expect_labels_unchanged("crf1d", with_cost, labels({3}),
                          [](auto& xs, auto& kept) {
                            const Variables steps = {xs[0], xs[1]};
                            const Arrays ys = {kept[0], kept[0]};
                            return F::crf1d(xs[2], steps, ys);
                          });
  expect_labels_unchanged(
      "crf1d of variables", with_cost, labels({3}), [](auto& xs, auto& kept) {
        const Variables steps = {xs[0], xs[1]};
        const Variables ys = {Variable(kept[0]), Variable(kept[0])};
        return F::crf1d(xs[2], steps, ys);
      });
}

TEST(CallerChangesTest, IndicesMayBeWrittenTo) {
  const std::vector<Shape> matrix = {{3, 4}};
  const Array at = labels({3});
  const auto expect_all = [&](const std::string& name, const Call& call) {
    expect_labels_unchanged(name, matrix, at, call);
  };
  expect_all("select_item", [](auto& xs, auto& kept) {
    return F::select_item(F::square(xs[0]), kept[0]);
  });
  expect_all("get_item", [](auto& xs, auto& kept) {
    return F::square(F::get_item(xs[0], kept[0]));
  });
  expect_all("get_item along an axis", [](auto& xs, auto& kept) {
    return F::square(F::get_item(xs[0], kept[0], 1));
  });
  expect_all("get_item with slices", [](auto& xs, auto& kept) {
    return F::square(F::get_item(xs[0], {Slice(1), kept[0]}));
  });
  expect_all("get_item with two arrays", [](auto& xs, auto& kept) {
    return F::square(F::get_item(xs[0], {kept[0], kept[0]}));
  });
  expect_unchanged({"get_item with a mask",
                    matrix,
                    {array::greater(floats({3, 4}), 2)},
                    [](auto& xs, auto& kept) {
                      return F::square(F::get_item(xs[0], {kept[0]}));
                    }});
  expect_all("[]",
             [](auto& xs, auto& kept) { return F::square(xs[0][kept[0]]); });
  expect_all("permutate", [](auto& xs, auto& kept) {
    return F::square(F::permutate(xs[0], kept[0]));
  });
  expect_all("permutate, inverse", [](auto& xs, auto& kept) {
    return F::square(F::permutate(xs[0], Variable(kept[0]), {.inv = true}));
  });
  expect_labels_unchanged(
      "scatter_add", {{3, 4}, {3, 4}}, at, [](auto& xs, auto& kept) {
        return F::square(F::scatter_add(xs[0], {kept[0]}, xs[1]));
      });
  expect_unchanged({"upsampling_2d",
                    {{1, 1, 1, 3}},
                    {at.reshape({1, 1, 1, 3})},
                    [](auto& xs, auto& kept) {
                      return F::square(F::upsampling_2d(xs[0], kept[0], 2));
                    }});
  expect_unchanged({"where",
                    {{3, 4}, {3, 4}},
                    {array::greater(floats({3, 4}), 2)},
                    [](auto& xs, auto& kept) {
                      return F::square(F::where(kept[0], xs[0], xs[1] * 2));
                    }});
  expect_unchanged(
      {"sparse_matmul",
       {{3}, {4, 2}},
       {labels({3}), labels({3})},
       [](auto& xs, auto& kept) {
         return F::sparse_matmul({xs[0], kept[0], kept[1], {4, 4}}, xs[1]);
       }});
}

TEST(CallerChangesTest, RegionsMayBeWrittenTo) {
  const std::vector<Shape> images = {{2, 1, 4, 4}};
  const Array rois = array::array(std::vector<float>{0, 0, 2, 2,  //
                                                     1, 1, 4, 4},
                                  Shape{2, 4});
  const Array numbers = array::array(std::vector<int>{0, 1});
  const auto expect_all = [&](const std::string& name, const auto& pool) {
    expect_unchanged({name, images, {rois, numbers}, [&](auto& xs, auto& kept) {
                        return F::square(pool(xs[0], kept[0], kept[1]));
                      }});
  };
  expect_all("roi_max_pooling_2d", [](auto& x, auto& regions, auto& at) {
    return F::roi_max_pooling_2d(x, regions, at, 2, 1);
  });
  expect_all("roi_average_pooling_2d", [](auto& x, auto& regions, auto& at) {
    return F::roi_average_pooling_2d(x, regions, at, 2, 1);
  });
  expect_all("roi_max_align_2d", [](auto& x, auto& regions, auto& at) {
    return F::roi_max_align_2d(x, regions, at, 2, 1);
  });
  expect_all("roi_average_align_2d", [](auto& x, auto& regions, auto& at) {
    return F::roi_average_align_2d(x, regions, at, 2, 1);
  });
  expect_unchanged({"roi_pooling_2d",
                    images,
                    {array::array(std::vector<float>{0, 0, 0, 2, 2,  //
                                                     1, 1, 1, 3, 3},
                                  Shape{2, 5})},
                    [](auto& xs, auto& kept) {
                      return F::square(
                          F::roi_pooling_2d(xs[0], kept[0], 2, 2, 1));
                    }});
}

// The maxima of a pooling, which its caller may see.
TEST(CallerChangesTest, IndicesOfMaximaMayBeWrittenTo) {
  const auto gradient = [](bool writes) {
    const Variable x = variable({1, 1, 4, 4});
    F::MaxPooling2D pooling(2);
    Variable y = F::square(pooling(x));
    if (writes) overwrite(pooling.indexes, 1e30);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    return x.grad();
  };
  EXPECT_TRUE(are_same({gradient(true)}, {gradient(false)}));
  const auto gradient_of_function = [](bool writes) {
    const Variable x = variable({1, 1, 4, 4});
    Array indices;
    Variable y =
        F::square(F::max_pooling_2d(x, 2, {.return_indices = &indices}));
    if (writes) overwrite(indices, 1e30);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    return x.grad();
  };
  EXPECT_TRUE(
      are_same({gradient_of_function(true)}, {gradient_of_function(false)}));
}

}  // namespace
}  // namespace catena::testing
