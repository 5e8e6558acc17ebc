// Each function is in a golden table, whose rows are called with unusual
// numbers, too (function_numbers.h).

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/support/runfiles.h"

namespace catena::testing {
namespace {

// Those without a golden file of their name.
const std::map<std::string, std::string> kOthers = {
    {"abs", "absolute by another name"},
    {"cudnn_enabled", "a setting"},
    {"exclusive_cumprod", "what the gradient of cumprod calls"},
    {"floordiv", "one of the operators"},
    {"get_conv_outsize", "of integers"},
    {"get_deconv_outsize", "of integers"},
    {"is_winograd_enabled", "a setting"},
    {"pow", "one of the operators"},
    {"rotary_tables", "of integers"},
    {"set_winograd", "a setting"},
    {"to_coo", "makes what sparse_matmul takes"},
};

std::set<std::string> golden_functions() {
  std::set<std::string> names;
  for (const char* group :
       {"activation", "array", "attention", "connection", "evaluation", "loss",
        "math", "noise", "normalization", "pooling", "rnn", "util"}) {
    for (const std::string& name : golden_files(str("functions/", group))) {
      names.insert(name);
    }
  }
  return names;
}

TEST(FunctionListTest, EachFunctionIsInAGoldenTable) {
  const std::set<std::string> golden = golden_functions();
  std::ifstream file(runfile("docs/functions.md"));
  const std::string start = "| [`";
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(start)) continue;
    ++count;
    const std::string name =
        line.substr(start.size(), line.find('`', start.size()) - start.size());
    EXPECT_NE(golden.contains(name), kOthers.contains(name)) << name;
  }
  EXPECT_GT(count, 200);
}

}  // namespace
}  // namespace catena::testing
