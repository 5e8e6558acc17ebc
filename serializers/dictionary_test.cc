#include "catena/serializers/dictionary.h"

#include <gtest/gtest.h>

#include "catena/array/error.h"
#include "catena/serializers/testing/reference_model.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::serializers {
namespace {

using ::catena::testing::IsArray;

TEST(DictionaryTest, HoldsWhatWasSaved) {
  Model model;
  model.l1->W.data().fill(3);
  DictionarySerializer serializer;
  serializer.save(model);
  const Array W = std::get<Array>(serializer.target().at("l1/W"));
  model.l1->W.data().fill(4);
  EXPECT_EQ(W.ravel()[0].item<float>(), 3);

  Model loaded;
  DictionaryDeserializer deserializer(serializer.target());
  deserializer.load(loaded);
  EXPECT_THAT(loaded.l1->W.data(), IsArray(W));
}

TEST(DictionaryTest, AddsToWhatIsThere) {
  Dictionary before;
  before["kept"] = "text";
  before["n"] = "replaced";
  DictionarySerializer serializer(before);
  int64_t n = 5;
  const Serializer root(serializer);
  root("n", n);
  EXPECT_EQ(std::get<std::string>(serializer.target().at("kept")), "text");
  EXPECT_EQ(std::get<Array>(serializer.target().at("n")).item<int64_t>(), 5);
}

TEST(DictionaryTest, OneSideWritesAndTheOtherReads) {
  DictionarySerializer writer;
  EXPECT_THROW(writer.read("x"), ValueError);
  DictionaryDeserializer reader({});
  EXPECT_THROW(reader.write("x", std::monostate()), ValueError);
  int64_t n = 5;
  const Serializer root(reader);
  EXPECT_THROW(root("n", n), IoError);
}

}  // namespace
}  // namespace catena::serializers
