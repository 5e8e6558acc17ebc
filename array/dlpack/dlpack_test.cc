#include "catena/array/dlpack/dlpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/dlpack/dlpack_abi.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::device_dtype_name;
using ::catena::testing::device_name;
using ::catena::testing::error_of;
using ::catena::testing::every_device;
using ::catena::testing::every_device_and_dtype;
using ::catena::testing::IsArray;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class DlpackDtypeTest : public ::catena::testing::DeviceDtypeTest {};

TEST_P(DlpackDtypeTest, ComesBackAsTheSameMemory) {
  const Array a = arange(6).astype(dtype()).reshape({2, 3});
  for (const bool versioned : {false, true}) {
    const Array b = versioned ? from_dlpack(to_dlpack_versioned(a))
                              : from_dlpack(to_dlpack(a));
    EXPECT_EQ(b.raw_data(), a.raw_data());
    EXPECT_EQ(b.device(), a.device());
    EXPECT_THAT(b, IsArray(a));
    b.fill(1);
    EXPECT_THAT(a, IsArray(ones({2, 3}, dtype())));
  }
}
INSTANTIATE_TEST_SUITE_P(All, DlpackDtypeTest, every_device_and_dtype(),
                         device_dtype_name);

class DlpackTest : public ::catena::testing::DeviceTest {};

TEST_P(DlpackTest, KeepsStridesAndOffsetsOfViews) {
  const Array a = arange(24, Dtype::kInt16).reshape({2, 3, 4});
  const std::vector<Array> views = {
      a.T(),
      a[{Slice(), Slice(std::nullopt, std::nullopt, -1), Slice(1, 4, 2)}], a[1],
      a[0][0][3], a[{Slice(0, 0)}]};
  for (const Array& view : views) {
    const Array b = from_dlpack(to_dlpack(view));
    EXPECT_EQ(b.strides(), view.strides());
    EXPECT_THAT(b, IsArray(view));
  }
}

TEST_P(DlpackTest, ExportHoldsTheMemoryUntilItIsDeleted) {
  Array a = arange(3);
  const Ref<Storage> storage = a.storage();
  DLManagedTensor* tensor = to_dlpack(a);
  a = Array();
  EXPECT_EQ(storage->use_count(), 2);
  tensor->deleter(tensor);
  EXPECT_EQ(storage->use_count(), 1);
}
INSTANTIATE_TEST_SUITE_P(All, DlpackTest, every_device(), device_name);

TEST(DlpackExportTest, DescribesTheArray) {
  const Array a = ones({2, 3}, Dtype::kBFloat16).T();
  DLManagedTensorVersioned* managed = to_dlpack_versioned(a);
  const DLTensor& tensor = managed->dl_tensor;
  EXPECT_EQ(managed->version.major, 1u);
  EXPECT_EQ(managed->flags, 0u);
  EXPECT_EQ(tensor.data, a.raw_data());
  EXPECT_EQ(tensor.device.device_type, dlpack::kCpu);
  EXPECT_EQ(tensor.device.device_id, 0);
  EXPECT_EQ(tensor.dtype.code, dlpack::kBfloat);
  EXPECT_EQ(tensor.dtype.bits, 16);
  EXPECT_EQ(tensor.dtype.lanes, 1);
  EXPECT_THAT(std::vector<int64_t>(tensor.shape, tensor.shape + tensor.ndim),
              ElementsAreArray({3, 2}));
  EXPECT_THAT(
      std::vector<int64_t>(tensor.strides, tensor.strides + tensor.ndim),
      ElementsAreArray({1, 3}));
  EXPECT_EQ(tensor.byte_offset, 0u);
  managed->deleter(managed);
}

TEST(DlpackExportTest, ABroadcastViewIsReadOnly) {
  const Array a = ones({3}).broadcast_to({2, 3});
  EXPECT_THAT(
      error_of<ValueError>([&] { to_dlpack(a); }),
      HasSubstr("to_dlpack: expected an array whose elements are distinct, "
                "got a broadcast view of shape (2, 3)"));
  DLManagedTensorVersioned* managed = to_dlpack_versioned(a);
  EXPECT_EQ(managed->flags, dlpack::kReadOnly);
  EXPECT_THAT(error_of<ValueError>([&] { from_dlpack(managed); }),
              HasSubstr("marked read-only"));
  const Array copy = from_dlpack(managed, {.copy_read_only = true});
  EXPECT_NE(copy.raw_data(), a.raw_data());
  EXPECT_THAT(copy, IsArray(ones({2, 3})));
}

TEST(DlpackExportTest, NeedsAnArray) {
  EXPECT_THROW(to_dlpack(Array()), ValueError);
  EXPECT_THROW(to_dlpack_versioned(Array()), ValueError);
}

// A tensor of another library, that counts the calls of its deleter.
class Foreign {
 public:
  Foreign() {
    managed.dl_tensor = {.data = values,
                         .device = {dlpack::kCpu, 0},
                         .ndim = 2,
                         .dtype = {dlpack::kFloat, 32, 1},
                         .shape = shape,
                         .strides = nullptr,
                         .byte_offset = 0};
    managed.version = {1, 1};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
  }
  DLTensor& tensor() { return managed.dl_tensor; }

  alignas(8) float values[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1};
  int64_t strides[2] = {1, 2};
  int deleted = 0;
  DLManagedTensorVersioned managed{};
};

TEST(DlpackImportTest, DeletesOnceAfterTheLastView) {
  Foreign foreign;
  {
    Array row;
    {
      const Array a = from_dlpack(&foreign.managed);
      EXPECT_THAT(a, IsArray(arange(6, Dtype::kFloat32).reshape({2, 3})));
      row = a[1];
    }
    EXPECT_EQ(foreign.deleted, 0);
    row.fill(7);
  }
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_EQ(foreign.values[5], 7);
}

TEST(DlpackImportTest, FollowsStridesAndByteOffset) {
  Foreign foreign;
  foreign.tensor().strides = foreign.strides;
  EXPECT_THAT(from_dlpack(&foreign.managed),
              IsArray(array({{0, 2, 4}, {1, 3, 5}}, Dtype::kFloat32)));
  foreign.tensor().byte_offset = 4;
  foreign.shape[1] = 2;
  EXPECT_THAT(from_dlpack(&foreign.managed),
              IsArray(array({{1, 3}, {2, 4}}, Dtype::kFloat32)));
  EXPECT_EQ(foreign.deleted, 2);
}

TEST(DlpackImportTest, AReadOnlyTensorThatIsCopiedIsDeletedAtOnce) {
  Foreign foreign;
  foreign.managed.flags = dlpack::kReadOnly;
  const Array a = from_dlpack(&foreign.managed, {.copy_read_only = true});
  EXPECT_EQ(foreign.deleted, 1);
  a.fill(9);
  EXPECT_EQ(foreign.values[0], 0);
}

TEST(DlpackImportTest, TakesTensorsWithoutDeleterAndWithoutElements) {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  foreign.tensor().data = nullptr;
  foreign.shape[0] = 0;
  EXPECT_EQ(from_dlpack(&foreign.managed).shape(), Shape({0, 3}));
  foreign.tensor().ndim = 0;
  foreign.tensor().shape = nullptr;
  foreign.tensor().data = foreign.values;
  EXPECT_THAT(from_dlpack(&foreign.managed), IsArray(array(0.0f)));
}

// Changes the tensor, and expects it to be refused and left alone.
template <class E, class Change>
void expect_refused(const std::string& message, const Change& change) {
  Foreign foreign;
  change(foreign);
  EXPECT_THAT(error_of<E>([&] { from_dlpack(&foreign.managed); }),
              HasSubstr(message));
  EXPECT_EQ(foreign.deleted, 0) << message;
}

TEST(DlpackImportTest, RefusesWhatAnArrayCannotBe) {
  expect_refused<DtypeError>("got type code 5 with 64 bits and 1 lanes",
                             [](Foreign& f) {
                               f.tensor().dtype = {5, 64, 1};
                             });
  expect_refused<DtypeError>("4 lanes", [](Foreign& f) {
    f.tensor().dtype = {dlpack::kFloat, 32, 4};
  });
  expect_refused<DtypeError>("128 bits",
                             [](Foreign& f) { f.tensor().dtype.bits = 128; });
  expect_refused<DeviceError>("got device type 10", [](Foreign& f) {
    f.tensor().device.device_type = 10;
  });
  expect_refused<DeviceError>("device type 2, index -1", [](Foreign& f) {
    f.tensor().device = {dlpack::kCuda, -1};
  });
  expect_refused<DeviceError>("cuda:63", [](Foreign& f) {
    f.tensor().device = {dlpack::kCuda, 63};
  });
  expect_refused<ShapeError>("expected 0 to 8 axes, got 9",
                             [](Foreign& f) { f.tensor().ndim = 9; });
  expect_refused<ShapeError>("expected 0 to 8 axes, got -1",
                             [](Foreign& f) { f.tensor().ndim = -1; });
  expect_refused<ShapeError>("from_dlpack",
                             [](Foreign& f) { f.shape[0] = -2; });
  expect_refused<ShapeError>("from_dlpack",
                             [](Foreign& f) { f.shape[0] = INT64_MAX; });
  expect_refused<ShapeError>("stride", [](Foreign& f) {
    f.strides[0] = INT64_MAX;
    f.tensor().strides = f.strides;
  });
  expect_refused<ValueError>("got a null pointer",
                             [](Foreign& f) { f.tensor().data = nullptr; });
  expect_refused<ValueError>("expected a shape, got a null pointer",
                             [](Foreign& f) { f.tensor().shape = nullptr; });
  expect_refused<ValueError>("aligned",
                             [](Foreign& f) { f.tensor().byte_offset = 2; });
  expect_refused<NotImplementedError>("expected version 1 of DLPack, got 2.0",
                                      [](Foreign& f) {
                                        f.managed.version = {2, 0};
                                      });
  EXPECT_THROW(from_dlpack(static_cast<DLManagedTensor*>(nullptr)), ValueError);
}

}  // namespace
}  // namespace catena::array
