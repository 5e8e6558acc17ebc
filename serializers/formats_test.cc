// The contract of every file format.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/links/chain.h"
#include "catena/optimizers/adam.h"
#include "catena/serializers/hdf5.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/safetensors.h"
#include "catena/serializers/testing/reference_model.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Format {
  std::string name;
  std::function<void(const std::string&, const Serialize&)> save;
  std::function<void(const std::string&, const Serialize&, const LoadOptions&)>
      load;
};
std::ostream& operator<<(std::ostream& os, const Format& format) {
  return os << format.name;
}

std::vector<Format> formats() {
  const auto npz = [](bool compression) {
    return [=](const std::string& file, const Serialize& serialize) {
      save_npz(file, serialize, {.compression = compression});
    };
  };
  const auto hdf5 = [](int compression) {
    return [=](const std::string& file, const Serialize& serialize) {
      save_hdf5(file, serialize, {.compression = compression});
    };
  };
  const auto from_npz = [](auto&&... args) { load_npz(args...); };
  const auto from_hdf5 = [](auto&&... args) { load_hdf5(args...); };
  const auto from_safetensors = [](auto&&... args) {
    load_safetensors(args...);
  };
  const auto safetensors = [](const std::string& file,
                              const Serialize& serialize) {
    save_safetensors(file, serialize);
  };
  return {{"npz", npz(true), from_npz},
          {"npz_stored", npz(false), from_npz},
          {"hdf5", hdf5(4), from_hdf5},
          {"hdf5_stored", hdf5(0), from_hdf5},
          {"safetensors", safetensors, from_safetensors}};
}

class FormatTest : public ::testing::TestWithParam<Format> {
 protected:
  template <class T>
  void save(const std::string& file, T& object) {
    GetParam().save(folder_.file(file),
                    [&](const Serializer& s) { object.serialize(s); });
  }
  template <class T>
  void load(const std::string& file, T& object,
            const LoadOptions& options = {}) {
    GetParam().load(
        folder_.file(file), [&](const Serializer& s) { object.serialize(s); },
        options);
  }

  TempFolder folder_;
};

TEST_P(FormatTest, WhatIsSavedComesBack) {
  Model model;
  model.l1->W.data().fill(-1.25);
  model.bn->N = 42;
  save("model", model);
  Model loaded;
  load("model", loaded);
  for (const auto& [path, param] : model.namedparams()) {
    EXPECT_TRUE(param.is_initialized()) << path;
  }
  EXPECT_THAT(loaded.l1->W.data(), IsArray(model.l1->W.data()));
  EXPECT_EQ(loaded.bn->N, 42);
}

// With a persistent member of each kind.
class Settings : public Link {
 public:
  Settings() {
    add_persistent("count", count);
    add_persistent("rate", rate);
    add_persistent("is_warm", is_warm);
    add_persistent("note", note);
    add_persistent("table", table);
  }

  int64_t count = 0;
  double rate = 0;
  bool is_warm = false;
  std::string note;
  Array table = array::zeros({2});
};

TEST_P(FormatTest, PersistentValuesAreArraysNumbersAndText) {
  Settings saved;
  saved.count = 3;
  saved.rate = 0.1;
  saved.is_warm = true;
  saved.note = "from a test";
  saved.table.fill(7);
  save("settings", saved);
  Settings loaded;
  load("settings", loaded);
  EXPECT_EQ(loaded.persistent_scalars(), saved.persistent_scalars());
  EXPECT_EQ(loaded.rate, 0.1);
  EXPECT_EQ(loaded.note, "from a test");
  EXPECT_THAT(loaded.table, IsArray(saved.table));

  loaded.set_persistent_scalars(
      std::vector<PersistentScalar>{int64_t{1}, 2.0, false, "x"});
  EXPECT_EQ(loaded.count, 1);
  EXPECT_EQ(loaded.note, "x");
  EXPECT_THROW(loaded.set_persistent_scalars(std::vector<PersistentScalar>{
                   int64_t{2}, int64_t{2}, false, "y"}),
               ValueError);
  EXPECT_EQ(loaded.count, 1);
}

struct Range {
  void serialize(const Serializer& serializer) {
    serializer("low", low);
    serializer("high", high);
  }
  double low = 0;
  double high = 0;
};

// With an object of another class.
class Ranged : public Settings {
 public:
  void serialize(const Serializer& serializer) override {
    Settings::serialize(serializer);
    range.serialize(serializer["range"]);
  }
  Range range;
};

class Owner : public Chain<Owner> {
 public:
  Child<Ranged> part{this, "part"};
};

TEST_P(FormatTest, OtherPersistentValuesGoByAnOverrideOfSerialize) {
  Owner saved;
  saved.part->range = {.low = -1, .high = 2.5};
  saved.part->count = 3;
  save("owner", saved);
  Owner loaded;
  load("owner", loaded);
  EXPECT_EQ(loaded.part->range.low, -1);
  EXPECT_EQ(loaded.part->range.high, 2.5);
  EXPECT_EQ(loaded.part->count, 3);
  Range alone;
  load("owner", alone, {.path = "part/range/"});
  EXPECT_EQ(alone.high, 2.5);
}

// Numbers, text, none and arrays of every dtype and kind of shape.
TEST_P(FormatTest, EveryValueComesBackAsItWas) {
  std::vector<Array> arrays;
  for (const Dtype dtype : ::catena::testing::all_dtypes()) {
    if (dtype == Dtype::kBFloat16) continue;  // below
    const Array a = array::arange(6).astype(dtype);
    arrays.insert(arrays.end(),
                  {a.reshape({2, 3}), a.reshape({2, 3}).T(), a[1],
                   a[{Slice(0, 1)}], a[{Slice(0, 0)}].reshape({0, 3})});
  }
  arrays.push_back(array::arange(1 << 19).reshape({512, -1}));
  arrays.push_back(array::arange(1 << 18));
  int64_t number = -7;
  double fraction = 0.1;
  std::string text = "äöü \"quoted\"\n";
  std::string empty;
  Array none;
  const auto serialize = [&](const Serializer& s) {
    s("number", number);
    s["group"]("fraction", fraction);
    s["group"]["inner"]("text", text);
    s("empty", empty);
    s("none", none);
    for (size_t i = 0; i < arrays.size(); ++i) {
      s["arrays"](std::to_string(i), arrays[i]);
    }
  };
  const std::string file = folder_.file("values");
  GetParam().save(file, serialize);
  const std::vector<Array> saved =
      std::exchange(arrays, std::vector<Array>(arrays.size()));
  number = 0;
  fraction = 0;
  text = "";
  empty = "full";
  none = array::ones({1});
  GetParam().load(file, serialize, {});
  EXPECT_EQ(number, -7);
  EXPECT_EQ(fraction, 0.1);
  EXPECT_EQ(text, "äöü \"quoted\"\n");
  EXPECT_EQ(empty, "");
  EXPECT_THAT(none, IsArray(array::ones({1})));
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_THAT(arrays[i], IsArray(saved[i])) << i;
  }
}

TEST_P(FormatTest, BFloat16ComesBackToo) {
  const Array x = array::arange(0, 10, 0.3).astype(Dtype::kBFloat16);
  Array saved = x;
  const auto serialize = [&](const Serializer& s) { s("x", saved); };
  GetParam().save(folder_.file("bfloat16"), serialize);
  saved = array::zeros_like(x);
  GetParam().load(folder_.file("bfloat16"), serialize, {});
  EXPECT_THAT(saved, IsArray(x));
}

TEST_P(FormatTest, AParameterWithoutAValueStaysSo) {
  ChainList model(Weights(std::nullopt, 3), Weights(Shape{2, 3}, 2));
  save("open", model);
  ChainList loaded(Weights(std::nullopt, 3), Weights(std::nullopt, 2));
  load("open", loaded);
  EXPECT_FALSE(loaded.at<Weights>(0).W.is_initialized());
  EXPECT_EQ(loaded.at<Weights>(1).W.shape(), Shape({2, 3}));
}

TEST_P(FormatTest, AnOptimizerLoadsBeforeItsFirstStepAlsoForOpenShapes) {
  ChainList model(Weights(Shape{2}));
  optimizers::Adam adam;
  adam.setup(model);
  model.at<Weights>(0).W.set_grad(array::ones({2}, Dtype::kFloat32));
  adam.update();
  save("adam", adam);
  ChainList open{Weights(std::nullopt)};
  optimizers::Adam loaded;
  loaded.setup(open);
  load("adam", loaded);
  EXPECT_EQ(loaded.t(), 1);
  const auto& rule =
      dynamic_cast<const UpdateRule&>(*open.at<Weights>(0).W.update_rule());
  EXPECT_EQ(rule.t(), 1);
  EXPECT_EQ(rule.state().at("m").shape(), Shape({2}));
}

TEST_P(FormatTest, LenientReadingTakesWhatIsThere) {
  ChainList small(Weights(Shape{2}));
  small.at<Weights>(0).W.data().fill(3);
  save("lenient", small);
  ChainList larger(Weights(Shape{2}), Weights(Shape{2}));
  load("lenient", larger, {.strict = false});
  EXPECT_EQ(larger.at<Weights>(0).W.data()[0].item<float>(), 3);
  EXPECT_EQ(larger.at<Weights>(1).W.data()[0].item<float>(), 1);
  ChainList ignoring(Weights(Shape{2}));
  load("lenient", ignoring, {.ignore_names = {"0/W"}});
  EXPECT_EQ(ignoring.at<Weights>(0).W.data()[0].item<float>(), 1);
}

TEST_P(FormatTest, ASubtreeLoadsByItsPath) {
  Model model;
  model.l1->W.data().fill(4);
  save("subtree", model);
  Weights l1(Shape{4, 3}, 4);
  load("subtree", l1, {.path = "l1/"});
  EXPECT_EQ(l1.W.data().ravel()[0].item<float>(), 4);
}

TEST_P(FormatTest, AKeyIsWrittenOnce) {
  int64_t number = 1;
  std::string text = "words";
  Array none;
  const std::vector<std::function<void(const Serializer&)>> writes = {
      [&](const Serializer& s) { s("x", number); },
      [&](const Serializer& s) { s("x", text); },
      [&](const Serializer& s) { s("x", none); }};
  for (size_t i = 0; i < writes.size(); ++i) {
    for (size_t j = 0; j < writes.size(); ++j) {
      EXPECT_THROW(GetParam().save(folder_.file("twice"),
                                   [&](const Serializer& s) {
                                     writes[i](s);
                                     writes[j](s);
                                   }),
                   ValueError)
          << i << ", " << j;
      EXPECT_THROW(read_file(folder_.file("twice")), IoError);
    }
  }
}

// Mismatched or damaged files leave the model unchanged.
class UntouchedTest : public FormatTest {
 protected:
  void SetUp() override {
    other_.l1->W.data().fill(9);
    other_.bn->N = 9;
  }
  void TearDown() override { expect_untouched(); }
  void expect_untouched() {
    EXPECT_EQ(model_.l1->W.data().ravel()[0].item<float>(), 1);
    EXPECT_EQ(model_.bn->N, 0);
  }

  Model model_;
  Model other_;
};

TEST_P(UntouchedTest, MissingEntriesAreNamed) {
  class Small : public Chain<Small> {
   public:
    Small() : l1(this, "l1", Shape{4, 3}, 4) {}
    Child<Weights> l1;
  } small;
  small.l1->W.data().fill(9);
  save("small", small);
  EXPECT_THAT(error_of<IoError>([&] { load("small", model_); }),
              AllOf(HasSubstr("small"), HasSubstr("temperature"),
                    HasSubstr("expected an entry, got none with that name")));
}

TEST_P(UntouchedTest, OtherShapesAreNamed) {
  other_.l1->W.set_data(array::zeros({5, 3}, Dtype::kFloat32));
  save("wide", other_);
  EXPECT_THAT(
      error_of<IoError>([&] { load("wide", model_); }),
      HasSubstr("l1/W: expected float32 of shape (4, 3), got float32 of "
                "shape (5, 3)"));
}

TEST_P(UntouchedTest, FilesCutShortAreRefused) {
  save("whole", other_);
  const std::string bytes = read_file(folder_.file("whole"));
  for (size_t part = 0; part < 16; ++part) {
    SCOPED_TRACE(part);
    write_file(folder_.file("cut"), bytes.substr(0, bytes.size() * part / 16));
    EXPECT_THAT(error_of<IoError>([&] { load("cut", model_); }),
                HasSubstr("cut"));
    expect_untouched();
  }
  EXPECT_THAT(error_of<IoError>([&] { load("no_such_file", model_); }),
              HasSubstr("no_such_file"));
}

TEST_P(UntouchedTest, FilesOfSomethingElseAreRefused) {
  write_file(folder_.file("other"), std::string(4096, 'x'));
  EXPECT_THROW(load("other", model_), IoError);
}

TEST_P(UntouchedTest, ArraysBeyondTheLimitAreRefused) {
  save("limited", other_);
  EXPECT_THROW(load("limited", model_, {.limits = {.array_bytes = 40}}),
               IoError);
}

std::string name_of(const ::testing::TestParamInfo<Format>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(All, FormatTest, ::testing::ValuesIn(formats()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, UntouchedTest, ::testing::ValuesIn(formats()),
                         name_of);

TEST(FormatErrorTest, AFolderThatIsMissingIsNamed) {
  Weights weights(Shape{2});
  for (const Format& format : formats()) {
    EXPECT_THAT(error_of<IoError>([&] {
                  format.save("/no/such/folder/file", [&](const Serializer& s) {
                    weights.serialize(s);
                  });
                }),
                HasSubstr("/no/such/folder/file"));
  }
}

}  // namespace
}  // namespace catena::serializers
