#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/functions/loss/absolute_error.h"
#include "catena/functions/loss/black_out.h"
#include "catena/functions/loss/connectionist_temporal_classification.h"
#include "catena/functions/loss/contrastive.h"
#include "catena/functions/loss/covariance.h"
#include "catena/functions/loss/crf1d.h"
#include "catena/functions/loss/discriminative_loss.h"
#include "catena/functions/loss/hinge.h"
#include "catena/functions/loss/huber_loss.h"
#include "catena/functions/loss/linear_cross_entropy.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/functions/loss/negative_sampling.h"
#include "catena/functions/loss/sigmoid_cross_entropy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/loss/squared_error.h"
#include "catena/functions/loss/triplet.h"
#include "catena/functions/loss/vae.h"
#include "catena/functions/math/squared_difference.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

std::string reduce_of(const GoldenCall& c, std::string_view fallback = "mean") {
  return c.attr_or("reduce", std::string(fallback));
}

const testing::GoldenFunction kFunctions[] = {
    {"absolute_error", absolute_error},
    {"argmax_crf1d",
     [](const GoldenCall& c) {
       const auto [score, labels] =
           argmax_crf1d(c[0], std::span(c.inputs()).subspan(1));
       std::vector<Variable> outputs = {score};
       for (const Array& label : labels) outputs.push_back(as_variable(label));
       return outputs;
     }},
    {"bernoulli_nll",
     [](const GoldenCall& c) {
       return bernoulli_nll(c[0], c[1], {.reduce = reduce_of(c, "sum")});
     }},
    {"black_out",
     [](const GoldenCall& c) {
       return black_out(c[0], c[1], c[2], c[3], {.reduce = reduce_of(c)});
     }},
    {"connectionist_temporal_classification",
     [](const GoldenCall& c) {
       const std::span in(c.inputs());
       return connectionist_temporal_classification(
           in.first(in.size() - 1), in.back(), c.attr<int>("blank_symbol"),
           {.input_length = c.attr_or("input_length", Array()),
            .label_length = c.attr_or("label_length", Array()),
            .reduce = reduce_of(c)});
     }},
    {"contrastive",
     [](const GoldenCall& c) {
       return contrastive(
           c[0], c[1], c[2],
           {.margin = c.attr_or("margin", 1.0), .reduce = reduce_of(c)});
     }},
    {"crf1d",
     [](const GoldenCall& c) {
       const std::span in(c.inputs());
       const size_t places = c.attr<int>("n_steps");
       return crf1d(c[0], in.subspan(1, places), in.subspan(1 + places, places),
                    {.reduce = reduce_of(c)});
     }},
    {"cross_covariance",
     [](const GoldenCall& c) {
       return cross_covariance(c[0], c[1],
                               {.reduce = reduce_of(c, "half_squared_sum")});
     }},
    {"decov",
     [](const GoldenCall& c) {
       return decov(c[0], {.reduce = reduce_of(c, "half_squared_sum")});
     }},
    {"discriminative_margin_based_clustering_loss",
     [](const GoldenCall& c) {
       return discriminative_margin_based_clustering_loss(
           c[0], c[1], c.attr<double>("delta_v"), c.attr<double>("delta_d"),
           c.attr<int>("max_embedding_dim"),
           {.norm = c.attr<int>("norm"),
            .alpha = c.attr<double>("alpha"),
            .beta = c.attr<double>("beta"),
            .gamma = c.attr<double>("gamma")});
     }},
    {"gaussian_kl_divergence",
     [](const GoldenCall& c) {
       return gaussian_kl_divergence(c[0], c[1],
                                     {.reduce = reduce_of(c, "sum")});
     }},
    {"gaussian_nll",
     [](const GoldenCall& c) {
       return gaussian_nll(c[0], c[1], c[2], {.reduce = reduce_of(c, "sum")});
     }},
    {"hinge",
     [](const GoldenCall& c) {
       return hinge(c[0], c[1],
                    {.norm = c.attr_or<std::string>("norm", "L1"),
                     .reduce = reduce_of(c)});
     }},
    {"huber_loss",
     [](const GoldenCall& c) {
       return huber_loss(c[0], c[1], c.attr<double>("delta"),
                         {.reduce = reduce_of(c, HuberLossOptions().reduce)});
     }},
    {"label_smoothing",
     [](const GoldenCall& c) {
       return softmax_cross_entropy(
           c[0], c[1],
           {.class_weight = c.attr_or("class_weight", Array()),
            .ignore_label = c.attr_or("ignore_label", -1),
            .reduce = reduce_of(c),
            .label_smoothing = c.attr<double>("label_smoothing")});
     }},
    {"linear_cross_entropy",
     [](const GoldenCall& c) {
       return linear_cross_entropy(
           c[0], c[1], c[2],
           {.b = c[3],
            .ignore_label = c.attr_or("ignore_label", -1),
            .reduce = reduce_of(c),
            .label_smoothing = c.attr_or("label_smoothing", 0.0),
            .soft_cap = c.attr_or("soft_cap", 0.0)});
     }},
    {"mean_absolute_error", mean_absolute_error},
    {"mean_squared_error", mean_squared_error},
    {"negative_sampling",
     [](const GoldenCall& c) {
       return negative_sampling(
           c[0], c[1], c[2],
           [&](const Shape&) { return c.attr<Array>("samples"); },
           c.attr<int>("sample_size"), {.reduce = reduce_of(c, "sum")});
     }},
    {"sigmoid_cross_entropy",
     [](const GoldenCall& c) {
       return sigmoid_cross_entropy(
           c[0], c[1],
           {.normalize = c.attr_or("normalize", true), .reduce = reduce_of(c)});
     }},
    {"softmax_cross_entropy",
     [](const GoldenCall& c) {
       return softmax_cross_entropy(
           c[0], c[1],
           {.normalize = c.attr_or("normalize", true),
            .class_weight = c.attr_or("class_weight", Array()),
            .ignore_label = c.attr_or("ignore_label", -1),
            .reduce = reduce_of(c),
            .soft_target_loss =
                c.attr_or<std::string>("soft_target_loss", "cross-entropy")});
     }},
    {"squared_difference", squared_difference},
    {"squared_error", squared_error},
    {"triplet",
     [](const GoldenCall& c) {
       return triplet(
           c[0], c[1], c[2],
           {.margin = c.attr_or("margin", 0.2), .reduce = reduce_of(c)});
     }},
};

class LossGolden : public testing::FunctionGoldenTest {};
TEST_P(LossGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, LossGolden,
                         testing::every_golden_function("functions/loss",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(LossGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/loss", kFunctions);
}

TEST(LossGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/loss", kFunctions);
}

}  // namespace
}  // namespace catena::functions
