// The nets of tests/golden/caffe: every blob, every gradient, every damaged
// file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/caffe/caffe_function.h"
#include "catena/caffe/import_plan.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::caffe {
namespace {

using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::runfile;

std::string golden(std::string_view name) {
  return runfile("tests/golden/caffe/" + std::string(name));
}

// The rest of each key that starts with the prefix.
std::vector<std::string> names_after(const array::NpzReader& npz,
                                     std::string_view prefix) {
  std::vector<std::string> result;
  for (const std::string& key : npz.keys()) {
    if (key.starts_with(prefix)) result.push_back(key.substr(prefix.size()));
  }
  return result;
}

// The bound in docs/caffe.md: 1e-4 |b| + 1e-5 max |b|, ignoring -FLT_MAX.
void check_blob(const Array& actual, const Array& expected) {
  double largest = 0;
  for (const float value : expected.to_vector<float>()) {
    if (value != std::numeric_limits<float>::lowest()) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
  }
  EXPECT_THAT(actual,
              IsClose(expected, {.rtol = 1e-4, .atol = 1e-5 * largest}));
}

constexpr char kFolder[] = "tests/golden/caffe";
constexpr char kModel[] = ".caffemodel";

// The nets of the folder, each with its values beside it.
std::vector<std::string> nets() {
  std::vector<std::string> names = testing::runfile_names(kFolder, "", kModel);
  for (std::string& name : names) {
    name.resize(name.size() - std::strlen(kModel));
  }
  return names;
}

// The blobs that come from the inputs by layers which move values only, and so
// agree exactly.
std::set<std::string> moved_blobs(const ImportPlan& plan,
                                  const CaffeFunction::Blobs& inputs,
                                  bool train) {
  const std::set<std::string> moving = {"Concat",  "Crop",  "Flatten",
                                        "Reshape", "Slice", "Split"};
  std::set<std::string> moved;
  for (const auto& [name, value] : inputs) moved.insert(name);
  for (const PlannedLayer& layer : plan.layers) {
    if (!(train ? layer.in_train : layer.in_test)) continue;
    const bool moves =
        moving.contains(layer.type) &&
        std::ranges::all_of(layer.bottoms, [&](const std::string& bottom) {
          return moved.contains(bottom);
        });
    for (const std::string& top : layer.tops) {
      if (moves) {
        moved.insert(top);
      } else if (!layer.bottoms.empty()) {
        moved.erase(top);
      }
    }
  }
  return moved;
}

class GoldenNetTest
    : public testing::DeviceGuardedTest,
      public ::testing::WithParamInterface<std::tuple<Device, std::string>> {
 protected:
  void SetUp() override { enter(std::get<Device>(GetParam())); }
  Device device() const { return std::get<Device>(GetParam()); }
  std::string net() const { return std::get<std::string>(GetParam()); }
  std::string file() const { return golden(net() + kModel); }
  array::NpzReader values() const {
    return array::NpzReader(golden(net() + ".npz"));
  }
  CaffeFunction::Blobs inputs(const array::NpzReader& npz) const {
    CaffeFunction::Blobs result;
    for (const std::string& name : names_after(npz, "input/")) {
      result.emplace(
          name, Variable(npz.read_array("input/" + name).to_device(device())));
    }
    return result;
  }
};

TEST_P(GoldenNetTest, EveryBlobAgrees) {
  const array::NpzReader npz = values();
  CaffeFunction model(file());
  EXPECT_TRUE(model.plan().is_complete());
  for (const bool train : {false, true}) {
    const std::string prefix = train ? "train/blob/" : "blob/";
    const std::vector<std::string> names = names_after(npz, prefix);
    if (train && names.empty()) continue;
    ASSERT_FALSE(names.empty());
    const CaffeFunction::Blobs xs = inputs(npz);
    const std::vector<Variable> blobs = model(xs, names, {.train = train});
    const std::set<std::string> moved = moved_blobs(model.plan(), xs, train);
    ASSERT_EQ(blobs.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      SCOPED_TRACE(prefix + names[i]);
      const Array expected = npz.read_array(prefix + names[i]);
      check_blob(blobs[i].data(), expected);
      if (moved.contains(names[i])) {
        EXPECT_THAT(blobs[i].data(), IsArray(expected));
      }
    }
  }
}

TEST_P(GoldenNetTest, GradientsAgree) {
  const array::NpzReader npz = values();
  const std::vector<std::string> names = names_after(npz, "gout/");
  CaffeFunction model(file());
  const CaffeFunction::Blobs xs = inputs(npz);
  ASSERT_FALSE(xs.empty());
  if (names.empty()) return;  // the file has none for this net
  std::vector<Variable> gy;
  for (const std::string& name : names) {
    gy.push_back(
        as_variable(npz.read_array("gout/" + name).to_device(device())));
  }
  backward(model(xs, names, {.train = false}), gy);
  for (const std::string& name : names_after(npz, "gin/")) {
    SCOPED_TRACE("gin/" + name);
    check_blob(xs.at(name).grad(), npz.read_array("gin/" + name));
  }
  if (!npz.contains("slope")) return;
  const std::vector<double> slopes =
      npz.read_array("slope").to_vector<double>();
  std::vector<double> sums(slopes.size());
  double squares = 0;
  for (const std::string& name : names_after(npz, "direction/")) {
    const Array gx = xs.at(name).grad();
    if (!gx.defined()) continue;  // labels
    const Array g = gx.to_device(native_device()).astype(Dtype::kFloat64);
    squares += array::sum(g * g).item<double>();
    const Array directions = npz.read_array("direction/" + name);
    for (size_t d = 0; d < sums.size(); ++d) {
      sums[d] +=
          array::sum(g * directions[static_cast<int64_t>(d)]).item<double>();
    }
  }
  for (size_t d = 0; d < slopes.size(); ++d) {
    EXPECT_NEAR(sums[d], slopes[d],
                1e-3 * std::abs(slopes[d]) + 1e-4 * std::sqrt(squares));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Caffe, GoldenNetTest,
    ::testing::Combine(::testing::ValuesIn(testing::test_devices()),
                       ::testing::ValuesIn(nets())),
    [](const auto& info) {
      std::string name = to_string(std::get<Device>(info.param)).substr(0, 4) +
                         "_" + std::get<std::string>(info.param);
      std::ranges::replace_if(
          name, [](char c) { return !std::isalnum(c); }, '_');
      return name;
    });

struct BadFile {
  std::string file;
  std::string expected;
  std::string what;
};

std::vector<BadFile> bad_files() {
  std::ifstream in(golden("bad/MANIFEST.tsv"));
  std::vector<BadFile> result;
  std::string line;
  std::getline(in, line);  // names of the columns
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    BadFile row;
    std::getline(columns, row.file, '\t');
    std::getline(columns, row.expected, '\t');
    std::getline(columns, row.what);
    result.push_back(row);
  }
  return result;
}

Variable run(CaffeFunction& model, const BadFile& bad) {
  // The manifest says the input's shape only where it is another.
  Shape shape = {1, 3, 8, 8};
  std::smatch other;
  if (std::regex_search(
          bad.what, other,
          std::regex("run it with (\\d+)x(\\d+)x(\\d+)x(\\d+)"))) {
    for (int axis = 0; axis < 4; ++axis)
      shape[axis] = std::stoll(other[axis + 1]);
  }
  const Variable x(array::ones(shape, Dtype::kFloat32));
  return model({{"data", x}}, {"out"}, {.train = false})[0];
}

TEST(BadFilesTest, TheManifestHasEachFile) {
  std::vector<std::string> listed;
  for (const BadFile& bad : bad_files()) listed.push_back(bad.file);
  EXPECT_THAT(testing::runfile_names(std::string(kFolder) + "/bad", "", kModel),
              ::testing::UnorderedElementsAreArray(listed));
}

TEST(BadFilesTest, EachIsAnErrorThatNamesTheFile) {
  const std::vector<BadFile> files = bad_files();
  ASSERT_FALSE(files.empty());
  for (const BadFile& bad : files) {
    SCOPED_TRACE(bad.file);
    const std::string path = golden("bad/" + bad.file);
    // Unknown layers must not be skipped silently, only on request.
    bool strict = true;
    if (bad.expected == "loads" &&
        !import_plan(path, {.strict = false}).is_complete()) {
      EXPECT_THROW(CaffeFunction{path}, IoError);
      strict = false;
    }
    std::string message;
    bool loaded = false;
    try {
      CaffeFunction model(path, {.strict = strict});
      loaded = true;
      run(model, bad);
    } catch (const Error& error) {
      message = error.what();
      EXPECT_THAT(message, HasSubstr(bad.file));
    }
    if (bad.expected == "load") {
      EXPECT_FALSE(loaded);
      EXPECT_NE(message, "");
    } else if (bad.expected == "load or run") {
      EXPECT_NE(message, "");
    } else if (bad.expected == "loads") {
      EXPECT_EQ(message, "");
    } else {
      EXPECT_EQ(bad.expected, "no crash");
    }
  }
}

// How an error is worded, which the manifest does not say.
TEST(BadFilesTest, MessagesNameLayerAndField) {
  const std::map<std::string, std::vector<std::string>> expected = {
      {"truncated", {"expected", "more bytes", "at byte"}},
      {"text", {"looks like a text net"}},
      {"hdf5", {"HDF5"}},
      {"empty", {"the file is empty"}},
      {"two_formats", {"two versions"}},
      {"unknown_type", {"the type is not known", "{.strict = false}"}},
      {"kernel_both", {"Convolution", "kernel_size and kernel_h"}},
      {"values_missing", {"blobs[0]", "shape (4, 3, 3, 3)"}},
      {"dims_wrap_64", {"blobs[0]", "does not match"}},
      {"weight_shape", {"blobs[0]: expected shape (4, 4, 3, 3), got (3, 4"}},
      {"blobs_missing", {"expected 2 blobs of parameters, got 0"}},
      {"unknown_bottom", {"is made by no layer before it"}},
      {"duplicate_top", {"is made by an earlier layer, too"}},
      {"pool_stochastic", {"STOCHASTIC is not supported"}},
      {"lrn_even", {"local_size: expected an odd number of 31 bits, got 4"}},
      {"v1_type", {"it has no type"}},
  };
  for (const auto& [name, parts] : expected) {
    SCOPED_TRACE(name);
    std::string message;
    try {
      CaffeFunction model(golden("bad/" + name + ".caffemodel"));
    } catch (const IoError& error) {
      message = error.what();
    }
    for (const std::string& part : parts) {
      EXPECT_THAT(message, HasSubstr(part));
    }
  }
}

TEST(BadFilesTest, AnUnknownLayerIsAnErrorOnlyWhereItIsNeeded) {
  const std::string path = golden("bad/unknown_type_unused.caffemodel");
  EXPECT_THROW(CaffeFunction{path}, IoError);
  CaffeFunction model(path, {.strict = false});
  EXPECT_FALSE(model.plan().is_complete());
  const PlannedLayer& last = model.plan().layers.back();
  EXPECT_EQ(last.status, PlannedLayer::Status::kRefused);
  const Variable x(array::ones({1, 3, 8, 8}, Dtype::kFloat32));
  EXPECT_TRUE(model({{"data", x}}, {"out"}, {.train = false})[0].defined());
  EXPECT_THROW(model({{"data", x}}, {last.tops.at(0)}, {.train = false}),
               NotImplementedError);
}

}  // namespace
}  // namespace catena::caffe
