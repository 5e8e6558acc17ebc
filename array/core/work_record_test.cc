#include "catena/array/core/work_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace catena {
namespace {

using ::testing::Eq;
using ::testing::Optional;

WorkRecord record_of(double scalar, uint64_t blocks, bool has_relu = true) {
  WorkRecord record;
  record.add({1, blocks});
  record.enter("linear", 7);
  record.add({2, 3});
  record.leave();
  record.add_bytes(&scalar, sizeof(scalar));
  if (has_relu) {
    record.enter("relu", 7);
    record.add({4, blocks});
    record.leave();
  }
  return record;
}

TEST(WorkRecordTest, TheSameWorkIsEqual) {
  EXPECT_EQ(record_of(0.5, 3).difference(record_of(0.5, 3), false),
            std::nullopt);
  EXPECT_EQ(record_of(0.5, 3).size(), 6u);
}

TEST(WorkRecordTest, ADifferenceNamesItsFunction) {
  EXPECT_THAT(record_of(0.5, 3).difference(record_of(0.25, 3), false),
              Optional(Eq("after 'linear'")));
  EXPECT_THAT(record_of(0.5, 3).difference(record_of(0.5, 4), false),
              Optional(Eq("before the first function")));
  EXPECT_THAT(record_of(0.5, 3).difference(record_of(0.5, 3, false), false),
              Optional(Eq("in 'relu'")));
  EXPECT_THAT(record_of(0.5, 3, false).difference(record_of(0.5, 3), false),
              Optional(Eq("in 'relu'")));
}

TEST(WorkRecordTest, FunctionsNest) {
  const auto nested = [](uint64_t number) {
    WorkRecord record;
    record.enter("outer", 1);
    record.enter("inner", 1);
    record.leave();
    record.add({number});
    record.leave();
    return record;
  };
  EXPECT_THAT(nested(1).difference(nested(2), false),
              Optional(Eq("in 'outer'")));
}

TEST(WorkRecordTest, AFirstCallMayDoMoreButNotCallOtherFunctions) {
  WorkRecord first = record_of(0.5, 3);
  first.add({9});  // such as the making of a state
  EXPECT_EQ(first.difference(record_of(0.5, 3), true), std::nullopt);
  EXPECT_THAT(first.difference(record_of(0.5, 3), false),
              Optional(Eq("after 'relu'")));
  EXPECT_THAT(record_of(0.5, 3).difference(first, true),
              Optional(Eq("after 'relu'")));
  EXPECT_THAT(record_of(0.5, 3).difference(record_of(0.5, 3, false), true),
              Optional(Eq("in 'relu'")));
}

TEST(WorkRecordTest, KeepsTheFirstReason) {
  WorkRecord record;
  record.enter("relu", 1);
  record.forbid("it waits for the device");
  record.forbid("another");
  EXPECT_EQ(record.forbidden(), "it waits for the device, in 'relu'");
}

TEST(WorkRecordTest, ScopesNestAndPause) {
  EXPECT_EQ(current_work_record(), nullptr);
  WorkRecord record;
  const WorkRecordScope scope(&record);
  EXPECT_EQ(current_work_record(), &record);
  {
    const WorkRecordScope paused(nullptr);
    EXPECT_EQ(current_work_record(), nullptr);
  }
  EXPECT_EQ(current_work_record(), &record);
}

}  // namespace
}  // namespace catena
