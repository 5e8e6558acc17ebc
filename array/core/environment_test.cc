#include "catena/array/core/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace catena {
namespace {

using ::testing::StrEq;

class EnvironmentTest : public ::testing::Test {
 protected:
  ~EnvironmentTest() override {
    for (const char* name : {"CATENA_DEBUG", "CHAINER_DEBUG", "CUPY_CACHE_DIR",
                             "CHAINER_USE_IDEEP", "CHAINER_TEST_GPU_LIMIT",
                             "CHAINER_UNHEARD_OF"}) {
      ::unsetenv(name);
    }
  }
};

TEST_F(EnvironmentTest, OriginalsCountWhereOursAreNotSet) {
  EXPECT_EQ(environment("CATENA_DEBUG"), nullptr);
  ::setenv("CHAINER_DEBUG", "1", 1);
  EXPECT_THAT(environment("CATENA_DEBUG"), StrEq("1"));
  ::setenv("CATENA_DEBUG", "", 1);
  EXPECT_THAT(environment("CATENA_DEBUG"), StrEq("1"));
  ::setenv("CATENA_DEBUG", "0", 1);
  EXPECT_THAT(environment("CATENA_DEBUG"), StrEq("0"));
  ::setenv("CUPY_CACHE_DIR", "/kernels", 1);
  EXPECT_THAT(environment("CATENA_CACHE_DIR"), StrEq("/kernels"));
  ::setenv("CHAINER_USE_IDEEP", "auto", 1);
  EXPECT_THAT(environment("CATENA_USE_ONEDNN"), StrEq("auto"));
  EXPECT_EQ(environment("CATENA_UNHEARD_OF"), nullptr);
}

TEST_F(EnvironmentTest, OthersWarnOnce) {
  ::setenv("CHAINER_DEBUG", "1", 1);
  ::setenv("CHAINER_TEST_GPU_LIMIT", "1", 1);
  ::setenv("CHAINER_UNHEARD_OF", "1", 1);
  ::testing::internal::CaptureStderr();
  warn_of_unknown_variables();
  warn_of_unknown_variables();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said,
            "warning: CHAINER_UNHEARD_OF is set, but means nothing to catena; "
            "see docs/guide/configuration.md\n");
}

}  // namespace
}  // namespace catena
