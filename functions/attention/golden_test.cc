#include "catena/array/creation.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/attention/rotary_embedding.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

const testing::GoldenFunction kFunctions[] = {
    {"attention",
     [](const GoldenCall& c) {
       return attention(c[0], c[1], c[2],
                        {.scale = c.optional_attr<double>("scale"),
                         .causal = c.attr_or("causal", false),
                         .window = c.optional_attr<int64_t>("window"),
                         .mask = c.attr_or("mask", Array()),
                         .lengths = c.attr_or("lengths", Array()),
                         .alibi_slopes = c.attr_or("alibi_slopes", Array()),
                         .soft_cap = c.attr_or("soft_cap", 0.0)});
     }},
    {"rotary_embedding",
     [](const GoldenCall& c) {
       const Variable& x = c[0];
       const DeviceScope scope(x.device());
       const RotaryTables tables = rotary_tables(
           array::arange(x.shape()[x.ndim() - 2]), c.attr<int64_t>("size"),
           {.base = c.attr<double>("base"),
            .dtype = x.dtype() == Dtype::kFloat64 ? Dtype::kFloat64
                                                  : Dtype::kFloat32});
       return rotary_embedding(x, tables,
                               {.interleaved = c.attr<bool>("interleaved")});
     }},
};

class AttentionGolden : public testing::FunctionGoldenTest {};
TEST_P(AttentionGolden, AgreesWithNumpy) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, AttentionGolden,
                         testing::every_golden_function("functions/attention",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(AttentionGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/attention", kFunctions);
}

TEST(AttentionGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/attention", kFunctions);
}

}  // namespace
}  // namespace catena::functions
