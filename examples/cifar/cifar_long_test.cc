// What the network learns with the default settings.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

TEST(CifarLongTest, KnowsShapes) {
  for (const std::string seed : {"0", "1"}) {
    SCOPED_TRACE(seed);
    const TempFolder folder;
    const Program program("examples/cifar/train_cifar",
                          {"--out=" + folder.file("results"), "--seed=" + seed},
                          folder);
    EXPECT_EQ(program.wait(), 0) << program.err();
    const auto log =
        nlohmann::json::parse(read_file(folder.file("results/log")));
    EXPECT_EQ(log.size(), 10u);
    EXPECT_GT(log.back()["validation/main/accuracy"].get<double>(), 0.95);
  }
}

}  // namespace
