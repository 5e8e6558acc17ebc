#include <string_view>

#include "catena/array/core/error.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/normalization/batch_renormalization.h"
#include "catena/functions/normalization/decorrelated_batch_normalization.h"
#include "catena/functions/normalization/group_normalization.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/normalization/normalize.h"
#include "catena/functions/normalization/rms_normalization.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

AxisSet axis_of(const GoldenCall& c, const AxisSet& fallback) {
  const auto axis = c.optional_attr<Shape>("axis");
  return axis ? AxisSet(*axis) : fallback;
}

// A copy, which the call may update.
Array running(const GoldenCall& c, std::string_view statistic) {
  return c.attr<Array>(str("running_", statistic)).copy();
}

Variable batch_normalized(const GoldenCall& c) {
  BatchNormalizationOptions options{.eps = c.attr_or("eps", 2e-5),
                                    .decay = c.attr_or("decay", 0.9),
                                    .axis = axis_of(c, {})};
  const bool updates = c.golden().has_attr("running_mean");
  if (updates) {
    options.running_mean = running(c, "mean");
    options.running_var = running(c, "var");
  }
  const Variable y = batch_normalization(c[0], c[1], c[2], options);
  if (updates) {
    c.expect_updated("running_mean", options.running_mean);
    c.expect_updated("running_var", options.running_var);
  }
  return y;
}

Variable batch_renormalized(const GoldenCall& c) {
  const BatchRenormalizationOptions options{
      .eps = c.attr_or("eps", 2e-5),
      .running_mean = running(c, "mean"),
      .running_var = running(c, "var"),
      .decay = c.attr_or("decay", 0.9),
      .update_statistics = c.attr_or("update_statistics", false)};
  const Variable y =
      batch_renormalization(c[0], c[1], c[2], c.attr<double>("rmax"),
                            c.attr<double>("dmax"), options);
  c.expect_updated("running_mean", options.running_mean);
  c.expect_updated("running_var", options.running_var);
  return y;
}

Variable decorrelated(const GoldenCall& c) {
  const DecorrelatedBatchNormalizationOptions options{
      .groups = c.attr<int>("groups"),
      .eps = c.attr_or("eps", 2e-5),
      .running_mean = running(c, "mean"),
      .running_projection = running(c, "projection"),
      .decay = c.attr_or("decay", 0.9)};
  const Variable y = decorrelated_batch_normalization(c[0], options);
  c.expect_updated("running_mean", options.running_mean);
  c.expect_updated("running_projection", options.running_projection);
  return y;
}

const testing::GoldenFunction kFunctions[] = {
    {"batch_normalization", batch_normalized},
    {"batch_renormalization", batch_renormalized},
    {"decorrelated_batch_normalization", decorrelated},
    {"fixed_batch_normalization",
     [](const GoldenCall& c) {
       return fixed_batch_normalization(
           c[0], c[1], c[2], c[3], c[4],
           {.eps = c.attr_or("eps", 2e-5), .axis = axis_of(c, {})});
     }},
    {"fixed_batch_renormalization",
     [](const GoldenCall& c) {
       return fixed_batch_renormalization(c[0], c[1], c[2], c[3], c[4]);
     }},
    {"fixed_decorrelated_batch_normalization",
     [](const GoldenCall& c) {
       return fixed_decorrelated_batch_normalization(
           c[0], c[1].data(), c[2].data(), {.groups = c.attr<int>("groups")});
     }},
    {"group_normalization",
     [](const GoldenCall& c) {
       return group_normalization(c[0], c.attr<int>("groups"), c[1], c[2],
                                  {.eps = c.attr_or("eps", 1e-5)});
     }},
    {"layer_normalization",
     [](const GoldenCall& c) {
       return layer_normalization(c[0], c[1], c[2],
                                  {.eps = c.attr_or("eps", 1e-5)});
     }},
    {"local_response_normalization",
     [](const GoldenCall& c) {
       return local_response_normalization(c[0],
                                           {.n = c.attr_or("n", 5),
                                            .k = c.attr_or("k", 2.0),
                                            .alpha = c.attr_or("alpha", 1e-4),
                                            .beta = c.attr_or("beta", 0.75)});
     }},
    {"normalize",
     [](const GoldenCall& c) {
       return normalize(c[0],
                        {.eps = c.attr_or("eps", 1e-5), .axis = axis_of(c, 1)});
     }},
    {"rms_normalization",
     [](const GoldenCall& c) {
       return rms_normalization(
           c[0], c[1],
           {.eps = c.attr_or("eps", 1e-5),
            .n_batch_axes = c.attr_or<int64_t>("n_batch_axes", 1)});
     }},
};

class NormalizationGolden : public testing::FunctionGoldenTest {};
TEST_P(NormalizationGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(
    Cases, NormalizationGolden,
    testing::every_golden_function("functions/normalization", kFunctions),
    testing::golden_function_name);

TEST(NormalizationGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/normalization", kFunctions);
}

TEST(NormalizationGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/normalization", kFunctions);
}

}  // namespace
}  // namespace catena::functions
