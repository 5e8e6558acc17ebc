#include "catena/functions/activation/clipped_relu.h"
#include "catena/functions/activation/crelu.h"
#include "catena/functions/activation/elu.h"
#include "catena/functions/activation/gated.h"
#include "catena/functions/activation/gelu.h"
#include "catena/functions/activation/hard_sigmoid.h"
#include "catena/functions/activation/leaky_relu.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/maxout.h"
#include "catena/functions/activation/prelu.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/rrelu.h"
#include "catena/functions/activation/selu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/silu.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/activation/softplus.h"
#include "catena/functions/activation/swish.h"
#include "catena/functions/activation/tanh.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

const testing::GoldenFunction kFunctions[] = {
    {"clipped_relu",
     [](const GoldenCall& c) {
       return clipped_relu(c[0], {.z = c.attr_or("z", 20.0)});
     }},
    {"crelu",
     [](const GoldenCall& c) {
       return crelu(c[0], {.axis = c.attr_or("axis", 1)});
     }},
    {"elu",
     [](const GoldenCall& c) {
       return elu(c[0], {.alpha = c.attr_or("alpha", 1.0)});
     }},
    {"geglu",
     [](const GoldenCall& c) {
       return geglu(c[0], c[1], {.tanh = c.attr_or("tanh", false)});
     }},
    {"gelu",
     [](const GoldenCall& c) {
       return gelu(c[0], {.tanh = c.attr_or("tanh", false)});
     }},
    {"hard_sigmoid", hard_sigmoid},
    {"leaky_relu",
     [](const GoldenCall& c) {
       return leaky_relu(c[0], {.slope = c.attr_or("slope", 0.2)});
     }},
    {"log_softmax",
     [](const GoldenCall& c) {
       return log_softmax(c[0], {.axis = c.attr_or("axis", 1)});
     }},
    {"maxout",
     [](const GoldenCall& c) {
       return maxout(c[0], c.attr<int>("pool_size"),
                     {.axis = c.attr_or("axis", 1)});
     }},
    {"prelu", prelu},
    {"relu", relu},
    {"relu6", relu6},
    {"rrelu",
     [](const GoldenCall& c) {
       return rrelu(c[0], {.l = c.attr_or("l", 1.0 / 8),
                           .u = c.attr_or("u", 1.0 / 3),
                           .r = c.attr_or("r", Array())});
     }},
    {"selu",
     [](const GoldenCall& c) {
       const SeluOptions defaults;
       return selu(c[0], {.alpha = c.attr_or("alpha", defaults.alpha),
                          .scale = c.attr_or("scale", defaults.scale)});
     }},
    {"sigmoid", sigmoid},
    {"silu", silu},
    {"softmax",
     [](const GoldenCall& c) {
       return softmax(c[0], {.axis = c.attr_or("axis", 1)});
     }},
    {"softplus",
     [](const GoldenCall& c) {
       return softplus(c[0], {.beta = c.attr_or("beta", 1.0)});
     }},
    {"swiglu", swiglu},
    {"swish", swish},
    {"tanh", tanh},
};

class ActivationGolden : public testing::FunctionGoldenTest {};
TEST_P(ActivationGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, ActivationGolden,
                         testing::every_golden_function("functions/activation",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(ActivationGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/activation", kFunctions);
}

TEST(ActivationGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/activation", kFunctions);
}

}  // namespace
}  // namespace catena::functions
