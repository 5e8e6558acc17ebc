#include "catena/functions/noise/dropout.h"
#include "catena/functions/noise/gaussian.h"
#include "catena/functions/noise/gumbel_softmax.h"
#include "catena/functions/noise/simplified_dropconnect.h"
#include "catena/functions/noise/zoneout.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

const testing::GoldenFunction kFunctions[] = {
    {"dropout",
     [](const GoldenCall& c) {
       return dropout(c[0], {.ratio = c.attr_or("ratio", 0.5),
                             .mask = c.attr_or("mask", Array())});
     }},
    {"gaussian",
     [](const GoldenCall& c) {
       return gaussian(c[0], c[1], {.eps = c.attr<Array>("eps")});
     }},
    {"gumbel_softmax",
     [](const GoldenCall& c) {
       return gumbel_softmax(c[0], {.tau = c.attr_or("tau", 0.1),
                                    .axis = c.attr_or("axis", 1),
                                    .noise = c.attr_or("noise", Array())});
     }},
    {"simplified_dropconnect",
     [](const GoldenCall& c) {
       return simplified_dropconnect(
           c[0], c[1], c[2],
           {.ratio = c.attr_or("ratio", 0.5),
            .train = c.attr_or("train", true),
            .mask = c.attr_or("mask", Array()),
            .use_batchwise_mask = c.attr_or("use_batchwise_mask", true)});
     }},
    {"zoneout",
     [](const GoldenCall& c) {
       return zoneout(c[0], c[1], {.ratio = c.attr<double>("ratio")});
     }},
};

class NoiseGolden : public testing::FunctionGoldenTest {};
TEST_P(NoiseGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, NoiseGolden,
                         testing::every_golden_function("functions/noise",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(NoiseGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/noise", kFunctions);
}

TEST(NoiseGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/noise", kFunctions);
}

}  // namespace
}  // namespace catena::functions
