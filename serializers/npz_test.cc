#include "catena/serializers/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npy.h"
#include "catena/array/io/testing/zip_builder.h"
#include "catena/links/chain.h"
#include "catena/serializers/testing/reference_model.h"
#include "catena/tests/support/python.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(NpzTest, LoadsWhatChainerSaved) {
  for (const std::string file : {"model.npz", "model_stored.npz"}) {
    SCOPED_TRACE(file);
    expect_model("model_reference.npz",
                 [&](auto& model) { load_npz(golden(file), model); });
  }
}

TEST(NpzTest, AParameterThatChainerSavedWithoutAValueStaysUninitialized) {
  // Those without a shape take the file's.
  expect_uninitialized_model(
      [](auto& model) { load_npz(golden("model_uninitialized.npz"), model); });
}

TEST(NpzTest, OptimizersGoOnWhereChainerStopped) {
  expect_next_steps([](const std::string& name, auto& optimizer) {
    load_npz(golden(name + ".npz"), optimizer);
  });
}

// Handcrafted files, in which the first entry, W, is valid.
class HostileNpzTest : public ::testing::Test {
 protected:
  static std::string npy(const Shape& shape) {
    return array::npy_from_array(array::full(shape, 5).astype(Dtype::kFloat32));
  }
  // A .npy file with a given header and no data.
  static std::string npy_header(std::string header) {
    header.resize(117, ' ');
    return std::string("\x93NUMPY\1\0\x76\0", 10) + header + "\n";
  }

  void expect_refusal(array::RawMember member, const std::string& message,
                      const LoadLimits& limits = {}) {
    const std::string path = folder_.file("hostile.npz");
    testing::write_file(
        path, array::build_zip({{"W.npy", npy({2})}, std::move(member)}));
    Weights link(Shape{2}, 3);
    EXPECT_THAT(
        error_of<IoError>([&] { load_npz(path, link, {.limits = limits}); }),
        AllOf(HasSubstr("hostile.npz"), HasSubstr(message)));
    EXPECT_EQ(link.W.data()[0].item<float>(), 1);
    EXPECT_EQ(link.b.data()[0].item<float>(), 2);
  }

  testing::TempFolder folder_;
};

TEST_F(HostileNpzTest, GoodMembersLoad) {
  const std::string path = folder_.file("good.npz");
  testing::write_file(
      path, array::build_zip({{"W.npy", npy({2})}, {"b.npy", npy({3})}}));
  Weights link(Shape{2}, 3);
  load_npz(path, link);
  EXPECT_EQ(link.b.data()[2].item<float>(), 5);
}

TEST_F(HostileNpzTest, NamesThatLeaveTheFolderAreRefused) {
  expect_refusal({"../b.npy", npy({3})}, "../b.npy");
  expect_refusal({"/b.npy", npy({3})}, "/b.npy");
  expect_refusal({"W.npy", npy({2})}, "W.npy");
}

TEST_F(HostileNpzTest, ObjectsAreRefused) {
  expect_refusal(
      {"b.npy",
       npy_header("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }") +
           "cos\nsystem\n(S'true'\ntR."},
      "b.npy");
}

TEST_F(HostileNpzTest, HugeShapesAreRefused) {
  for (const char* shape :
       {"(4611686018427387904,)", "(4294967296, 4294967296)",
        "(99999999999999999999999,)", "(1073741824,)", "(-1,)"}) {
    expect_refusal({"b.npy", npy_header(std::string("{'descr': '<f4', "
                                                    "'fortran_order': False, "
                                                    "'shape': ") +
                                        shape + ", }")},
                   "b.npy");
  }
}

TEST_F(HostileNpzTest, BombsAreRefused) {
  const std::string plain = npy({1 << 18});
  array::RawMember bomb("b.npy", plain);
  bomb.data = array::deflated(plain.substr(0, plain.size() - (1 << 20)) +
                              std::string(1 << 20, '\0'));
  bomb.method = 8;
  bomb.compressed = bomb.data.size();
  expect_refusal(bomb, "b.npy", {.compression_ratio = 100});
  expect_refusal(bomb, "b.npy", {.array_bytes = 1 << 16});
  bomb.uncompressed = uint64_t{1} << 31;  // more than it has
  expect_refusal(bomb, "b.npy");
}

TEST(NpzTest, ChainerLoadsWhatIsSaved) {
  const auto python = testing::python_with("chainer");
  if (!python) GTEST_SKIP() << "no python3 with Chainer on this machine";
  expect_chainer_loads(
      *python, "load_npz",
      [](const std::string& path, auto& what) { save_npz(path, what); });
}

TEST(NpzTest, NumPyReadsWhatIsSaved) {
  const auto python = testing::python_with_numpy();
  if (!python) GTEST_SKIP() << testing::kNoNumPy;
  Model model;
  model.l1->W.data().fill(0.5);
  model.bn->N = 7;
  const testing::TempFolder folder;
  const std::string path = folder.file("numpy.npz");
  save_npz(path, model);
  const testing::PythonResult result = testing::run_python(*python, R"(
import sys
import numpy as np
f = np.load(sys.argv[1])
assert f['l1/W'].dtype == np.float32 and f['l1/W'].shape == (4, 3)
assert (f['l1/W'] == 0.5).all() and f['bn/N'] == 7
assert f['blocks/1/0/W'].shape == (4, 4)
)",
                                                           {path});
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace catena::serializers
