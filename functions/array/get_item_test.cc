#include "catena/functions/array/get_item.h"

#include <gmock/gmock.h>

#include <limits>
#include <optional>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/tests/support/device_test.h"
#include "catena/tests/support/function_golden.h"
#include "catena/tests/support/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The index expressions of a golden case, see tests/golden/README.md.
using Indexes = absl::InlinedVector<Index, 4>;

std::vector<int64_t> row_of(const Array& table, int64_t i) {
  const Array row = table[i].contiguous();
  return {row.data<int64_t>(), row.data<int64_t>() + row.size()};
}

Indexes basic_indexes(const Array& table) {
  constexpr int64_t kAbsent = std::numeric_limits<int64_t>::min();
  const auto end = [](int64_t value) {
    return value == kAbsent ? std::nullopt : std::optional<int64_t>(value);
  };
  Indexes indexes;
  for (int64_t i = 0; i < table.shape()[0]; ++i) {
    const std::vector<int64_t> row = row_of(table, i);
    switch (row[0]) {
      case 0:
        indexes.push_back(row[1]);
        break;
      case 1:
        indexes.push_back(
            Slice(end(row[1]), end(row[2]), end(row[3]).value_or(1)));
        break;
      case 2:
        indexes.push_back(ellipsis);
        break;
      case 3:
        indexes.push_back(newaxis);
        break;
    }
  }
  return indexes;
}

// How many arrays of integers, and others, a case indexes with.
int count_arrays(const testing::GoldenCase& golden, int64_t kind) {
  const Array table = golden.attr<Array>("slices");
  int count = 0;
  for (int64_t i = 0; i < table.shape()[0]; ++i) {
    count += row_of(table, i)[0] == kind;
  }
  return count;
}

bool is_basic(const testing::GoldenCase& golden) {
  return count_arrays(golden, 4) + count_arrays(golden, 5) == 0;
}
bool is_one_array(const testing::GoldenCase& golden) {
  return golden.attr<Array>("slices").shape()[0] == 1 &&
         count_arrays(golden, 4) == 1;
}

class BasicGetItemGolden : public testing::FunctionGoldenTest {};
TEST_P(BasicGetItemGolden, AgreesWithChainer) {
  const Indexes indexes = basic_indexes(golden().attr<Array>("slices"));
  check_case([&](const Variables& in) {
    return get_item(in[0], std::span<const Index>(indexes));
  });
}
INSTANTIATE_TEST_SUITE_P(
    GetItem, BasicGetItemGolden,
    testing::every_device_and_case("functions/array/get_item", is_basic),
    testing::golden_device_name);

class ArrayGetItemGolden : public testing::FunctionGoldenTest {};
TEST_P(ArrayGetItemGolden, AgreesWithChainer) {
  const Array indices = array("attr/slices_array0");
  check_case([&](const Variables& in) { return get_item(in[0], indices); });
}
INSTANTIATE_TEST_SUITE_P(
    GetItem, ArrayGetItemGolden,
    testing::every_device_and_case("functions/array/get_item", is_one_array),
    testing::golden_device_name);

class GetItemTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(GetItem, GetItemTest, testing::every_device(),
                         testing::device_name);

TEST_P(GetItemTest, GradientsMatchFiniteDifferences) {
  const Array x = testing::uniform({3, 4, 2});
  testing::check_function_gradients(
      [](const Variable& x) {
        return get_item(x, {1, Slice(0, 4, 2), newaxis});
      },
      {x});
  testing::check_function_gradients(
      [](const Variable& x) {
        return get_item(x, {Slice(2, 2), ellipsis});
      },
      {x});
  const Array indices = array::array({{0, -1}, {2, 0}});
  testing::check_function_gradients(
      [&](const Variable& x) { return get_item(x, indices, 1); }, {x});
}

TEST(GetItemErrorTest, NamesTheIndexThatIsOutOfRange) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT([&] { get_item(x, {2}); },
              ThrowsMessage<IndexError>(HasSubstr("2")));
  EXPECT_THAT(
      [&] {
        get_item(x, {0, 0, 0});
      },
      ThrowsMessage<IndexError>(HasSubstr("3")));
  EXPECT_THAT(
      [&] {
        get_item(x, array::array({0, 5}), 1);
      },
      ThrowsMessage<IndexError>(HasSubstr("5")));
  EXPECT_THAT([&] { get_item(x, array::zeros({1})); },
              ThrowsMessage<DtypeError>(HasSubstr("float64")));
}

}  // namespace
}  // namespace catena::functions
