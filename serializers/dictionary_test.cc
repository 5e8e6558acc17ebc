#include "catena/serializers/dictionary.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/testing/reference_model.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

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
  Dictionary target;
  target["kept"] = "text";
  target["n"] = "replaced";
  DictionarySerializer serializer(target);
  int64_t n = 5;
  const Serializer root(serializer);
  root("n", n);
  EXPECT_EQ(std::get<std::string>(target.at("kept")), "text");
  EXPECT_EQ(std::get<Array>(target.at("n")).item<int64_t>(), 5);
  EXPECT_EQ(&serializer.target(), &target);
}

TEST(DictionaryTest, HoldsText) {
  DictionarySerializer serializer;
  const Serializer root(serializer);
  std::string text = "an entry";
  root("text", text);
  EXPECT_EQ(std::get<std::string>(serializer.target().at("text")), "an entry");
}

// Several objects in one dictionary, each below a path of its own.
TEST(DictionaryTest, PutsAPathBeforeTheKeys) {
  Model first;
  Model second;
  first.l1->W.data().fill(3);
  second.l1->W.data().fill(4);
  Dictionary both;
  DictionarySerializer(both, "first/").save(first);
  DictionarySerializer(both, "second/").save(second);
  EXPECT_TRUE(both.contains("first/l1/W"));
  EXPECT_FALSE(both.contains("l1/W"));
  EXPECT_EQ(DictionarySerializer({}, "third/").target().size(), 0u);

  Model loaded;
  DictionaryDeserializer(both, {.path = "second/"}).load(loaded);
  EXPECT_THAT(loaded.l1->W.data(), IsArray(second.l1->W.data()));
  DictionaryDeserializer(both, {.path = "first/"}).load(loaded);
  EXPECT_THAT(loaded.l1->W.data(), IsArray(first.l1->W.data()));
}

TEST(DictionaryTest, AnArrayThatCannotBeWrittenLeavesTheOthersAsTheyWere) {
  DictionaryDeserializer deserializer(
      Dictionary{{"a", array::ones({2, 3})}, {"b", array::ones({2, 3})}});
  const Serializer root(deserializer);
  Array a = array::zeros({2, 3});
  Array b = array::zeros({3}).broadcast_to({2, 3});
  root("a", a);
  EXPECT_THROW(root("b", b), ValueError);
  EXPECT_THAT(a, IsArray(array::zeros({2, 3})));
}

// The file has what the initializer would have made.
TEST(DictionaryTest,
     AParameterWithoutAShapeTakesTheFilesWhateverItsInitializer) {
  class Own : public Link {
   public:
    Own()
        : W(this, "W", Initializer([](const Array& out) {
              raise<ValueError>("cannot fill ", out.shape());
            })) {}
    Param W;
  };
  DictionaryDeserializer source(Dictionary{{"W", array::array({{1.0, 2.0}})}});
  Own own;
  source.load(own);
  EXPECT_EQ(own.W.dtype(), Dtype::kFloat32);
  EXPECT_THAT(own.W.data(), IsArray(array::array({{1, 2}}, Dtype::kFloat32)));
}

TEST(DictionaryTest, CanBeFedToSavez) {
  const ::catena::testing::TempFolder folder;
  Model model;
  DictionarySerializer serializer;
  serializer.save(model);
  Dictionary target = serializer.target();
  target["text"] = "kept";
  target["none"] = std::monostate();
  const Array narrow = array::array({1.5, 2.0}).astype(Dtype::kBFloat16);
  target["narrow"] = narrow;

  for (const bool compressed : {false, true}) {
    const std::string path = folder.file("model.npz");
    if (compressed) {
      array::savez_compressed(path, target);
    } else {
      array::savez(path, target);
    }
    Model loaded;
    load_npz(path, loaded);
    EXPECT_THAT(loaded.l1->W.data(), IsArray(model.l1->W.data()));

    const Dictionary again = array::load_npz(path);
    EXPECT_EQ(again.size(), target.size());
    EXPECT_EQ(std::get<std::string>(again.at("text")), "kept");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(again.at("none")));
    EXPECT_THAT(std::get<Array>(again.at("narrow")),
                IsArray(narrow.astype(Dtype::kFloat32)));
    Model third;
    DictionaryDeserializer(array::load_npz(path)).load(third);
    EXPECT_THAT(third.l1->W.data(), IsArray(model.l1->W.data()));
  }
  array::savez(folder.file("other.npz"),
               {{"names", array::NpyString(Shape{2}, {"a", "b"})}});
  EXPECT_THROW(Dictionary(array::load_npz(folder.file("other.npz"))),
               DtypeError);
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
