#include <string>

#include "catena/functions/math/operators.h"
#include "catena/functions/util/forget.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

Variable golden_multiply_and_add(const Variable& x, const Variable& y) {
  return x * y + x;
}

Variables sum_and_product(const Variable& x, const Variable& y) {
  return {x + y, x * y};
}

Variables forgotten(const GoldenCall& c) {
  if (c.attr<std::string>("func") != "mul_add") {
    return forget(sum_and_product, c[0], c[1]);
  }
  return {forget(golden_multiply_and_add, c[0], c[1])};
}

const testing::GoldenFunction kFunctions[] = {{"forget", forgotten}};

class UtilGolden : public testing::FunctionGoldenTest {};
TEST_P(UtilGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, UtilGolden,
                         testing::every_golden_function("functions/util",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(UtilGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/util", kFunctions);
}

TEST(UtilGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/util", kFunctions);
}

}  // namespace
}  // namespace catena::functions
