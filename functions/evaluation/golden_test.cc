#include <string>
#include <vector>

#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/evaluation/binary_accuracy.h"
#include "catena/functions/evaluation/classification_summary.h"
#include "catena/functions/evaluation/r2_score.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

ClassificationOptions options_of(const GoldenCall& c) {
  return {.label_num = c.optional_attr<int64_t>("label_num"),
          .ignore_label = c.attr_or("ignore_label", -1)};
}

const testing::GoldenFunction kFunctions[] = {
    {"accuracy",
     [](const GoldenCall& c) {
       return accuracy(
           c[0], c[1],
           {.ignore_label = c.optional_attr<int64_t>("ignore_label")});
     }},
    {"binary_accuracy",
     [](const GoldenCall& c) { return binary_accuracy(c[0], c[1]); }},
    {"classification_summary",
     [](const GoldenCall& c) {
       const ClassificationOptions options = options_of(c);
       const ClassificationSummary s =
           classification_summary(c[0], c[1],
                                  {.label_num = options.label_num,
                                   .beta = c.attr_or("beta", 1.0),
                                   .ignore_label = options.ignore_label});
       return std::vector{s.precision, s.recall, s.fbeta, s.support};
     }},
    {"f1_score",
     [](const GoldenCall& c) { return f1_score(c[0], c[1], options_of(c)); }},
    {"precision",
     [](const GoldenCall& c) { return precision(c[0], c[1], options_of(c)); }},
    {"r2_score",
     [](const GoldenCall& c) {
       return r2_score(c[0], c[1],
                       {.multioutput = c.attr_or<std::string>(
                            "multioutput", "uniform_average")});
     }},
    {"recall",
     [](const GoldenCall& c) { return recall(c[0], c[1], options_of(c)); }},
};

class EvaluationGolden : public testing::FunctionGoldenTest {};
TEST_P(EvaluationGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, EvaluationGolden,
                         testing::every_golden_function("functions/evaluation",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(EvaluationGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/evaluation", kFunctions);
}

TEST(EvaluationGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/evaluation", kFunctions);
}

}  // namespace
}  // namespace catena::functions
