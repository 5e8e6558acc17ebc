// Hdf5Reader reads what newer versions of the HDF5 library write through h5py.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/error_of.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

const std::string kFolder = "tests/golden/hdf5/";

// The parameter is the name of a file, written by tests/golden/hdf5/write.py.
class Hdf5FileTest : public ::testing::TestWithParam<std::string> {
 protected:
  Array array(const std::string& key) const {
    const auto entry = reader_.read(key);
    if (!entry || !std::holds_alternative<Array>(*entry)) {
      ADD_FAILURE() << key << ": expected an array";
      return Array();
    }
    return std::get<Array>(*entry);
  }

  // Element i is 37 i mod `modulus`.
  void expect_numbers(const std::string& key, Dtype dtype, const Shape& shape,
                      int modulus = 120) const {
    SCOPED_TRACE(key);
    const Array actual = array(key);
    ASSERT_EQ(actual.dtype(), dtype);
    ASSERT_EQ(actual.shape(), shape);
    const std::vector<double> values =
        actual.astype(Dtype::kFloat64).to_vector<double>();
    for (int64_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(values[static_cast<size_t>(i)],
                static_cast<double>(37 * i % 120 % modulus))
          << i;
    }
  }

  Hdf5Reader reader_{testing::runfile(kFolder + GetParam())};
};

INSTANTIATE_TEST_SUITE_P(All, Hdf5FileTest,
                         ::testing::ValuesIn(testing::runfile_names(kFolder, "",
                                                                    ".h5")),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

TEST(Hdf5FilesTest, ThreeBoundsOfTwoVersionsAreThere) {
  EXPECT_EQ(testing::runfile_names(kFolder, "", ".h5").size(), 6);
}

TEST_P(Hdf5FileTest, EveryDtypeIsReadInBothByteOrders) {
  for (const std::string order : {"little", "big"}) {
    const auto expect = [&](const std::string& name, Dtype dtype) {
      expect_numbers("dtypes/" + order + "/" + name, dtype, {2, 3});
    };
    expect("f2", Dtype::kFloat16);
    expect("f4", Dtype::kFloat32);
    expect("f8", Dtype::kFloat64);
    expect("i1", Dtype::kInt8);
    expect("i2", Dtype::kInt16);
    expect("i4", Dtype::kInt32);
    expect("i8", Dtype::kInt64);
    expect("u1", Dtype::kUInt8);
    expect("u2", Dtype::kUInt16);
    expect("u4", Dtype::kUInt32);
    expect("u8", Dtype::kUInt64);
  }
  expect_numbers("dtypes/bool", Dtype::kBool, {2, 3}, 2);
}

TEST_P(Hdf5FileTest, EveryLayoutAndFilterIsRead) {
  for (const std::string name :
       {"contiguous", "single", "fixed", "extensible", "tree", "deflate",
        "shuffle", "fletcher32", "all_filters"}) {
    expect_numbers("layouts/" + name, Dtype::kFloat32, {9, 11});
  }
  expect_numbers("many/extensible", Dtype::kInt16, {120, 2});
  expect_numbers("many/tree", Dtype::kInt16, {120, 2});
  expect_numbers("empty", Dtype::kFloat32, {0, 3});
}

TEST_P(Hdf5FileTest, GroupsScalarsAndTextAreRead) {
  EXPECT_EQ(array("scalar").item<double>(), 1.5);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(array("group/x" + std::to_string(i)).item<int>(), i);
  }
  EXPECT_FALSE(reader_.read("group/x20").has_value());
  EXPECT_EQ(std::get<std::string>(*reader_.read("text/variable")),
            "h\xc3\xa9llo");
  EXPECT_EQ(std::get<std::string>(*reader_.read("text/fixed")), "abc");
}

TEST_P(Hdf5FileTest, LinksToPathsAndOtherFilesAreRefused) {
  for (const std::string key : {"soft", "external"}) {
    EXPECT_THAT(error_of<IoError>([&] { reader_.read(key); }), HasSubstr(key));
  }
}

}  // namespace
}  // namespace catena::serializers
