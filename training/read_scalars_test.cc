#include "catena/training/read_scalars.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::training {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReadScalarsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ReadScalarsTest, testing::every_device(),
                         testing::device_name);

TEST_P(ReadScalarsTest, ReadsAnyDtypesAndDevicesInOrder) {
  const Device host = native_device();
  const Array row = array::array({3.0, 4.0}).to_device(device());
  EXPECT_THAT(read_scalars(std::vector<Array>{
                  array::full({}, 0.1, Dtype::kFloat64, device()),
                  array::full({}, 1, Dtype::kFloat64, host),
                  array::full({}, 16777217, Dtype::kInt64, device()),
                  array::full({}, true, Dtype::kBool, device()), row[1],
                  array::full({}, 0.5, Dtype::kFloat16, host),
                  array::full({}, -2, Dtype::kBFloat16, device())}),
              ElementsAre(0.1, 1.0, 16777217.0, 1.0, 4.0, 0.5, -2.0));
}

TEST_P(ReadScalarsTest, OfNoneIsNone) {
  EXPECT_THAT(read_scalars({}), IsEmpty());
}

TEST_P(ReadScalarsTest, RefusesOtherShapes) {
  EXPECT_THAT(error_of<ShapeError>([] {
                read_scalars(std::vector<Array>{array::zeros({2, 1})});
              }),
              HasSubstr("expected 0-d arrays, got the shape "
                        "(2, 1)"));
}

}  // namespace
}  // namespace catena::training
