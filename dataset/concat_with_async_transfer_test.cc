#include "catena/dataset/concat_with_async_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/core/host_transfer.h"
#include "catena/array/core/storage.h"
#include "catena/array/creation.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/pinned_arrays.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::dataset {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;

// Replaces a GPU's host transfer by one to native devices that records the
// requests.
struct Fake {
  std::set<const void*> pinned;
  std::vector<const void*> sent;
  int opened = 0;
} fake;

std::shared_ptr<void> fake_allocate_pinned(int64_t bytes) {
  auto memory = std::make_shared<std::vector<char>>(bytes);
  fake.pinned.insert(memory->data());
  return {memory, memory->data()};
}

bool fake_is_pinned(const void* data) { return fake.pinned.contains(data); }

class FakeTransfer final : public HostTransfer {
 public:
  explicit FakeTransfer(Device device) : device_(device) { ++fake.opened; }
  Ref<Storage> to_device(const void* data, int64_t bytes,
                         const Ref<Storage>& owner) override {
    EXPECT_TRUE(fake_is_pinned(data));
    EXPECT_EQ(owner->data(), data);
    fake.sent.push_back(data);
    Ref<Storage> copy = Storage::allocate(device_, bytes);
    std::memcpy(copy->data(), data, static_cast<size_t>(bytes));
    return copy;
  }

 private:
  Device device_;
};

class ConcatWithAsyncTransferTest : public ::testing::Test {
 protected:
  ConcatWithAsyncTransferTest() {
    fake = {};
    table_.allocate_pinned = fake_allocate_pinned;
    table_.is_pinned = fake_is_pinned;
    table_.open_transfer = [](Device device) -> std::unique_ptr<HostTransfer> {
      return std::make_unique<FakeTransfer>(device);
    };
    set_backend_table(Backend::kNative, &table_);
  }
  ~ConcatWithAsyncTransferTest() override {
    set_backend_table(Backend::kNative, native_);
    fake = {};
  }

  const BackendTable* const native_ = backend_table(Backend::kNative);
  BackendTable table_ = *native_;

  const Device other = native_device(1);
  const datasets::TupleDataset dataset{
      arange(6, Dtype::kFloat32).reshape({3, 2}), arange(3)};
  const Batch batch{dataset, array({2, 0})};
};

TEST_F(ConcatWithAsyncTransferTest, GivesWhatConcatExamplesGives) {
  const ConcatWithAsyncTransfer converter;
  const Example result = converter(batch, other);
  const Example expected = concat_examples(batch);
  ASSERT_EQ(result.size(), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(result[i].device(), other);
    EXPECT_THAT(result[i].to_device(native_device()), IsArray(expected[i]));
  }
  EXPECT_EQ(fake.sent.size(), 2u);
}

TEST_F(ConcatWithAsyncTransferTest, KeepsOneQueueForEachDevice) {
  const ConcatWithAsyncTransfer converter;
  const Converter copy = converter;
  converter(batch, other);
  copy(batch, other);
  EXPECT_EQ(fake.opened, 1);
  copy(batch, native_device(2));
  converter(batch, native_device(2));
  EXPECT_EQ(fake.opened, 2);
}

TEST_F(ConcatWithAsyncTransferTest, SendsPinnedArraysAsTheyAre) {
  const Array rows = empty_pinned({2, 3}, Dtype::kFloat32, Backend::kNative);
  rows.fill(1.5);
  const ConcatWithAsyncTransfer converter;
  const Example result = converter(Batch::of_rows({rows}), other);
  ASSERT_EQ(fake.sent.size(), 1u);
  EXPECT_EQ(fake.sent[0], rows.raw_data());
  EXPECT_THAT(result[0].to_device(native_device()), IsArray(rows));
}

TEST_F(ConcatWithAsyncTransferTest, FillsUpWithThePaddingAndKeepsNames) {
  const auto names =
      std::make_shared<const std::vector<std::string>>(1, "words");
  const std::vector<Example> examples = {Example({array({1, 2})}, names),
                                         Example({array({3})}, names)};
  const ConcatWithAsyncTransfer converter({.padding = -1});
  EXPECT_THAT(converter(examples, other)["words"].to_device(native_device()),
              IsArray(array({{1, 2}, {3, -1}})));
  EXPECT_THAT(
      error_of<ShapeError>([&] { ConcatWithAsyncTransfer()(examples, other); }),
      HasSubstr("set a padding to allow different shapes"));
}

TEST_F(ConcatWithAsyncTransferTest, AListIsSentInOnePiece) {
  const std::vector<Example> examples = {{array({1, 2}), 0}, {array({3}), 1}};
  const ConcatWithAsyncTransfer converter({.lists = {0}});
  const Example result = converter(examples, other);
  ASSERT_EQ(result.list(0).size(), 2u);
  EXPECT_EQ(result.list(0)[0].device(), other);
  EXPECT_THAT(result.list(0)[0].to_device(native_device()),
              IsArray(array({1, 2})));
  EXPECT_THAT(result.list(0)[1].to_device(native_device()),
              IsArray(array({3})));
  EXPECT_THAT(result[1].to_device(native_device()),
              IsArray(array({0, 1}, Dtype::kInt32)));
  EXPECT_EQ(fake.sent.size(), 2u);
}

TEST_F(ConcatWithAsyncTransferTest, ArraysThatAreOnADeviceNeedNoTransfer) {
  const datasets::TupleDataset there(arange(4).to_device(other));
  const ConcatWithAsyncTransfer converter;
  const Example result = converter(Batch(there, array({3, 1})), other);
  EXPECT_EQ(result[0].device(), other);
  EXPECT_THAT(result[0].to_device(native_device()), IsArray(array({3, 1})));
  EXPECT_TRUE(fake.sent.empty());
}

TEST_F(ConcatWithAsyncTransferTest, WithoutADeviceItIsConcatExamples) {
  const ConcatWithAsyncTransfer converter;
  EXPECT_EQ(converter(batch, std::nullopt)[0].device(), native_device());
  EXPECT_TRUE(fake.sent.empty());
  set_backend_table(Backend::kNative, native_);
  EXPECT_EQ(converter(batch, other)[0].device(), other);
  EXPECT_THAT(error_of<ValueError>(
                  [&] { converter(Batch(std::vector<Example>()), other); }),
              HasSubstr("got none"));
}

class AsyncTransferDeviceTest : public testing::DeviceTest {};

// Many minibatches in flight, while the device computes with those before.
TEST_P(AsyncTransferDeviceTest, EveryMinibatchArrivesWhole) {
  constexpr int64_t kRows = 512;
  constexpr int64_t kWidth = 1024;
  const ConcatWithAsyncTransfer converter;
  std::vector<Array> sums;
  for (int64_t i = 0; i < 20; ++i) {
    const Array host =
        array::full({kRows, kWidth}, i, Dtype::kFloat32, native_device());
    const Example moved = converter(Batch::of_rows({host}), device());
    EXPECT_EQ(moved[0].device(), device());
    sums.push_back(moved[0] + moved[0]);
  }
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_THAT(sums[i].to_device(native_device()),
                IsArray(array::full({kRows, kWidth}, 2 * i, Dtype::kFloat32,
                                    native_device())));
  }
}

INSTANTIATE_TEST_SUITE_P(ConcatWithAsyncTransfer, AsyncTransferDeviceTest,
                         testing::every_device(), testing::device_name);

}  // namespace
}  // namespace catena::dataset
