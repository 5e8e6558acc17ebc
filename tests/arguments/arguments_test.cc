// Every integer, shape, axis, index and slice of the public headers with values
// that are never meant: a result or an Error.

#include <gtest/gtest.h>

#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/extreme_arguments.h"

namespace catena::testing {
namespace {

using MakeCases = ArgumentCases (*)();

struct Area {
  const char* name;
  MakeCases make;
};

constexpr Area kAreas[] = {
    {"ArrayMethods", array_method_cases},
    {"ArrayCreation", array_creation_cases},
    {"ArrayManipulation", array_manipulation_cases},
    {"ArrayIndexing", array_indexing_cases},
    {"ArrayReductions", array_reduction_cases},
    {"ArrayRandom", array_random_cases},
    {"FunctionsOfArrays", function_array_cases},
    {"FunctionsOfImages", function_spatial_cases},
    {"Losses", function_loss_cases},
    {"OtherFunctions", function_other_cases},
    {"Variables", variable_cases},
    {"ArrayFiles", array_file_cases},
    {"Core", core_cases},
    {"Links", link_cases},
    {"LinksOfImages", link_spatial_cases},
    {"Datasets", dataset_cases},
    {"Training", training_cases},
};

class ArgumentsTest : public ::testing::TestWithParam<Area> {};

TEST_P(ArgumentsTest, ExtremeIntegersGiveAResultOrAnError) {
  expect_results_or_errors(GetParam().make());
}

INSTANTIATE_TEST_SUITE_P(Areas, ArgumentsTest, ::testing::ValuesIn(kAreas),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST(ArgumentsCoverageTest, EveryIntegerOfThePublicHeadersHasACase) {
  ArgumentCases all;
  for (const Area& area : kAreas) {
    const ArgumentCases cases = area.make();
    all.insert(all.end(), cases.begin(), cases.end());
  }
  expect_all_arguments(all);
}

}  // namespace
}  // namespace catena::testing
