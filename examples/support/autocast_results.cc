#include "catena/examples/support/autocast_results.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

std::vector<double> results(const TrainedProgram& trained,
                            const std::string& dtype) {
  ::setenv("CATENA_AUTOCAST", dtype.c_str(), 1);
  std::vector<double> found;
  for (const char* seed : {"0", "1", "2"}) {
    const testing::TempFolder folder;
    std::vector<std::string> arguments = trained.arguments;
    const std::string out = folder.file("result");
    arguments.insert(arguments.end(),
                     {"--out=" + out, std::string("--seed=") + seed});
    const testing::Program program("examples/" + trained.program, arguments,
                                   folder);
    if (program.wait() != 0) ADD_FAILURE() << program.err();
    const auto log = nlohmann::json::parse(testing::read_file(out + "/log"));
    found.push_back(log.back().at(trained.result).get<double>());
    std::cout << trained.program << " " << dtype << " seed " << seed << ": "
              << trained.result << " " << found.back() << "\n";
  }
  ::unsetenv("CATENA_AUTOCAST");
  return found;
}

}  // namespace

void expect_results_of_float32(const TrainedProgram& trained,
                               const std::string& dtype) {
  const std::vector<double> wide = results(trained, "off");
  const std::vector<double> narrow = results(trained, dtype);
  const auto [low, high] = std::ranges::minmax(wide);
  EXPECT_NEAR(mean(narrow), mean(wide), high - low) << trained.program;
  // Not float32 under another name.
  EXPECT_NE(narrow, wide) << trained.program;
}

}  // namespace catena::examples
