// The format of a MultithreadIterator's minibatches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/core/host_transfer.h"
#include "catena/array/creation.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/dataset/iterators/testing/iterator_steps.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::iterators {
namespace {

using array::arange;
using array::array;
using dataset::Batch;
using dataset::Dataset;
using dataset::DatasetMixin;
using dataset::Example;
using testing::IsArray;

TEST(MultithreadIteratorBatchTest, ExamplesOfOneFormComeStacked) {
  MultithreadIterator iterator(Generated(9), 4,
                               {.shuffle = false, .n_threads = 2});
  iterator.next();
  const dataset::NextBatch batch = iterator.next();
  ASSERT_TRUE(batch->gather().has_value());
  EXPECT_THAT((*batch->gather())[1],
              IsArray(array({16, 25, 36, 49}).astype(Dtype::kFloat32)));
  EXPECT_EQ((*batch)[-1][0].item<int64_t>(), 7);
  EXPECT_EQ(batch->examples().size(), 4u);
  EXPECT_EQ(batch->examples()[1][0].item<int64_t>(), 5);
}

TEST(MultithreadIteratorBatchTest, ADatasetOfArraysIsGathered) {
  const Array x = arange(30, Dtype::kFloat32).reshape({10, 3});
  const datasets::DictDataset pairs({{"x", x}, {"t", arange(10)}});
  for (const int64_t threads : {1, 3}) {
    MultithreadIterator iterator(pairs, 4, {.n_threads = threads, .seed = 2});
    SerialIterator serial(pairs, 4, {.seed = 2});
    for (int i = 0; i < 9; ++i) {
      const Example expected = dataset::concat_examples(*serial.next());
      const Example actual = dataset::concat_examples(*iterator.next());
      EXPECT_THAT(actual["x"], IsArray(expected["x"]));
      EXPECT_THAT(actual["t"], IsArray(expected["t"]));
    }
  }
  iterators::MultithreadIterator all(pairs, 10, {.shuffle = false});
  dataset::concat_examples(*all.next())["x"].fill(-1);  // nobody else's
  EXPECT_EQ(x[1][0].item<float>(), 3);
}

// Example i has i elements, with a dtype that changes once.
class Ragged final : public DatasetMixin {
 public:
  int64_t size() const override { return 12; }
  Example get_example(int64_t i) const override {
    return {arange(i < 6 ? 2 : i, Dtype::kInt32), i % 4 == 1 ? 1.5f : 2.5f};
  }
};

TEST(MultithreadIteratorBatchTest, ExamplesOfSeveralFormsStayExamples) {
  for (const int64_t threads : {1, 3}) {
    MultithreadIterator iterator(Ragged(), 4,
                                 {.shuffle = false, .n_threads = threads});
    SerialIterator serial(Ragged(), 4, {.shuffle = false});
    for (int i = 0; i < 7; ++i) {
      const Batch batch = *iterator.next();
      const Batch expected = *serial.next();
      const dataset::ConcatExamplesOptions padded = {.padding = -1};
      for (int field = 0; field < 2; ++field) {
        EXPECT_THAT(dataset::concat_examples(batch, padded)[field],
                    IsArray(dataset::concat_examples(expected, padded)[field]));
      }
    }
  }
}

// A fake CUDA backend with one device, used only for page-locked memory.
class FakeCudaTest : public ::testing::Test {
 protected:
  FakeCudaTest() {
    allocated = 0;
    refuse = false;
    table_.allocate_pinned = allocate_pinned;
    table_.open_transfer = [](Device) {
      return std::unique_ptr<HostTransfer>();
    };
    set_backend_table(Backend::kCuda, &table_);
  }
  ~FakeCudaTest() override { set_backend_table(Backend::kCuda, previous_); }

  static std::shared_ptr<void> allocate_pinned(int64_t bytes) {
    if (refuse) raise<OutOfMemoryError>("allocate_pinned: no more");
    ++allocated;
    auto memory = std::make_shared<std::vector<char>>(bytes);
    return {memory, memory->data()};
  }

  static inline std::atomic<int> allocated = 0;
  static inline std::atomic<bool> refuse = false;

 private:
  const BackendTable* previous_ = backend_table(Backend::kCuda);
  BackendTable table_ = *backend_table(Backend::kNative);
};

TEST_F(FakeCudaTest, MinibatchesArePutTogetherInPinnedMemory) {
  const datasets::TupleDataset arrays(arange(10), arange(10));
  for (const Dataset& dataset : {Dataset(Generated(10)), Dataset(arrays)}) {
    for (const int64_t threads : {1, 2}) {
      allocated = 0;
      MultithreadIterator iterator(dataset, 5,
                                   {.n_threads = threads, .seed = 1});
      SerialIterator serial(dataset, 5, {.seed = 1});
      expect_same_steps(iterator, serial, 4);
      iterator.finalize();
      EXPECT_GE(allocated, 8);  // two fields of each minibatch
    }
  }
}

TEST_F(FakeCudaTest, OtherMemoryServesWhereNoneCanBeLocked) {
  refuse = true;
  MultithreadIterator iterator(Generated(10), 5, {.seed = 1});
  SerialIterator serial(Generated(10), 5, {.seed = 1});
  expect_same_steps(iterator, serial, 4);
}

TEST_F(FakeCudaTest, PinnedMemoryCanBeDeclined) {
  MultithreadIterator iterator(Generated(10), 5, {.pinned = false});
  iterator.next();
  iterator.finalize();
  EXPECT_EQ(allocated, 0);
}

}  // namespace
}  // namespace catena::iterators
