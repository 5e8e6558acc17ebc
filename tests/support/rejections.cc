#include "catena/tests/support/rejections.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/error_of.h"

namespace catena::testing {

using ::testing::HasSubstr;

void check_rejections(const std::vector<Rejection>& rejections) {
  for (const Rejection& r : rejections) {
    EXPECT_THAT(error_of<InvalidType>(r.call),
                HasSubstr("Expect: " + r.expected + "\n"))
        << r.expected;
  }
}

Array integers(const Shape& shape) {
  return array::zeros(shape, Dtype::kInt32);
}
Variable i32(const Shape& shape) { return as_variable(integers(shape)); }
Variable f32(const Shape& shape) {
  return Variable(array::zeros(shape, Dtype::kFloat32));
}
Variable f64(const Shape& shape) { return Variable(array::zeros(shape)); }

}  // namespace catena::testing
