#include <span>
#include <string>
#include <vector>

#include "catena/functions/activation/lstm.h"
#include "catena/functions/activation/slstm.h"
#include "catena/functions/activation/tree_lstm.h"
#include "catena/functions/rnn/testing/n_step_call.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

std::vector<Variable> n_step(const GoldenCall& c, NStepFunction kind) {
  const auto activation = c.attr_or("activation", std::string(kind.activation));
  kind.activation = activation;
  return call_n_step(kind, c.attr<int>("n_layers"),
                     c.attr<double>("dropout_ratio"), c.inputs());
}

const testing::GoldenFunction kFunctions[] = {
    {"lstm", lstm},
    {"n_step_bigru", [](const GoldenCall& c) { return n_step(c, kBiGru); }},
    {"n_step_bilstm", [](const GoldenCall& c) { return n_step(c, kBiLstm); }},
    {"n_step_birnn", [](const GoldenCall& c) { return n_step(c, kBiTanh); }},
    {"n_step_gru", [](const GoldenCall& c) { return n_step(c, kGru); }},
    {"n_step_lstm", [](const GoldenCall& c) { return n_step(c, kLstm); }},
    {"n_step_rnn", [](const GoldenCall& c) { return n_step(c, kTanh); }},
    {"slstm",
     [](const GoldenCall& c) { return slstm(c[0], c[1], c[2], c[3]); }},
    {"tree_lstm",
     [](const GoldenCall& c) {
       const std::span in(c.inputs());
       return tree_lstm(in.first(in.size() - 1), in.back());
     }},
};

class RnnGolden : public testing::FunctionGoldenTest {};
TEST_P(RnnGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, RnnGolden,
                         testing::every_golden_function("functions/rnn",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(RnnGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/rnn", kFunctions);
}

TEST(RnnGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/rnn", kFunctions);
}

}  // namespace
}  // namespace catena::functions
