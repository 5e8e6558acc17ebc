#include "catena/serializers/serializer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/serializers/dictionary.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

const Dictionary& source() {
  static const Dictionary source = {{"text", "words"},
                                    {"none", std::monostate()},
                                    {"two", array::array({1, 2})},
                                    {"half", array::array(0.5)},
                                    {"large", array::array(1e300)},
                                    {"whole", array::array(3.0)},
                                    {"wide", array::array({1.5, 2.0})}};
  return source;
}

// Loads one value, whose type is that of `value`.
template <class T>
void load(const std::string& key, T& value, const LoadOptions& options = {}) {
  DictionaryDeserializer deserializer(source(), options);
  load_from(deserializer, [&](const Serializer& s) { s(key, value); });
}

template <class T>
void expect_refusal(const std::string& key, T value,
                    const std::string& message) {
  EXPECT_THAT(error_of<IoError>([&] { load(key, value); }),
              HasSubstr(key + ": expected " + message));
}

TEST(SerializerTest, NumbersAreScalarsThatTheTypeHolds) {
  int64_t n = 0;
  load("whole", n);
  EXPECT_EQ(n, 3);
  double x = 0;
  load("half", x);
  EXPECT_EQ(x, 0.5);
  expect_refusal("text", n, "a number, got text");
  expect_refusal("none", n, "a number, got none");
  expect_refusal("two", n, "a number, got int64 of shape (2,)");
  expect_refusal("half", n, "a whole number, got 0.5");
  expect_refusal("large", n, "a number that int64 can hold, got 1e+300");
  expect_refusal("missing", n, "an entry, got none with that name");
}

TEST(SerializerTest, TextIsText) {
  std::string text;
  load("text", text);
  EXPECT_EQ(text, "words");
  expect_refusal("half", text, "text, got float64 of shape ()");
  expect_refusal("none", text, "text, got none");
}

TEST(SerializerTest, ArraysHaveTheShapeAndTheKindOfDtype) {
  Array x = array::zeros({2});
  load("two", x);
  EXPECT_THAT(x, IsArray(array::array({1.0, 2.0})));
  load("none", x);
  EXPECT_THAT(x, IsArray(array::array({1.0, 2.0})));
  Array open;
  load("wide", open);
  EXPECT_THAT(open, IsArray(array::array({1.5, 2.0})));
  expect_refusal("text", x, "an array, got text");
  expect_refusal("half", x, "float64 of shape (2,), got float64 of shape ()");
  expect_refusal("wide", array::zeros({2}, Dtype::kInt64),
                 "int64 of shape (2,), got float64 of shape (2,)");
}

TEST(SerializerTest, WhatIsMissingStaysAsItWasUnlessItIsRequired) {
  const LoadOptions lenient = {.strict = false};
  int64_t n = 7;
  double x = 0.5;
  std::string text = "kept";
  Array a = array::ones({2});
  load("missing", n, lenient);
  load("missing", x, lenient);
  load("missing", text, lenient);
  load("missing", a, lenient);
  EXPECT_EQ(n, 7);
  EXPECT_EQ(x, 0.5);
  EXPECT_EQ(text, "kept");
  EXPECT_THAT(a, IsArray(array::ones({2})));
  DictionaryDeserializer deserializer(source());
  load_from(deserializer, [&](const Serializer& s) {
    s.optional("missing", n);
    s.optional("whole", x);
    EXPECT_TRUE(s.contains("whole"));
    EXPECT_FALSE(s.contains("missing"));
  });
  EXPECT_EQ(n, 7);
  EXPECT_EQ(x, 3);
}

TEST(SerializerTest, AWriterContainsNothing) {
  DictionarySerializer serializer;
  const Serializer root(serializer);
  int64_t n = 7;
  root("n", n);
  EXPECT_FALSE(root.contains("n"));
  root.optional("m", n);
  EXPECT_TRUE(serializer.target().contains("m"));
}

TEST(SerializerTest, ErrorsNameWhatThereIs) {
  int64_t n = 0;
  EXPECT_THAT(error_of<IoError>([&] { load("hal", n); }), HasSubstr("'half'"));
  DictionaryDeserializer empty(Dictionary{});
  EXPECT_THAT(error_of<IoError>([&] {
                load_from(empty, [&](const Serializer& s) { s("x", n); });
              }),
              HasSubstr("x: expected an entry, got none"));
}

}  // namespace
}  // namespace catena::serializers
