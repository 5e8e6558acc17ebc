// Messages in both of their forms, and mean files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy.h"
#include "catena/caffe/decode.h"
#include "catena/caffe/encode.h"
#include "catena/caffe/mean_file.h"
#include "catena/caffe/message.h"
#include "catena/tests/support/array_matchers.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/support/temp_folder.h"

namespace catena::caffe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::ThrowsMessage;

std::string encoded(const Message& message) {
  std::string bytes;
  array::StringSink sink(&bytes);
  encode(message, sink);
  return bytes;
}

Message decoded(const std::string& bytes, std::string_view type) {
  return decode(array::ByteSource::of_memory(bytes, "test"),
                message_type(type));
}

TEST(MessageTest, ComesBackFromBytes) {
  Message layer("LayerParameter");
  layer.add("name", "a \"b\"\n");
  layer.add("bottom", "x");
  layer.add("bottom", "y");
  Message& conv = layer.add_message("convolution_param");
  conv.add("num_output", int64_t{300});
  conv.add("kernel_size", int64_t{3});
  conv.add("kernel_size", int64_t{5});
  conv.add("axis", int64_t{-2});
  conv.add("bias_term", false);
  layer.add_message("eltwise_param").add_choice("operation", "MAX");
  layer.add_message("eltwise_param").add("coeff", -0.5);
  layer.add_message("reshape_param")
      .add_message("shape")
      .add("dim", int64_t{-1});
  const Message again = decoded(encoded(layer), "LayerParameter");
  EXPECT_EQ(to_text(again), to_text(layer));
  EXPECT_THAT(to_text(layer), HasSubstr("name: \"a \\\"b\\\"\\012\"\n"));
  EXPECT_THAT(to_text(layer), HasSubstr("  operation: MAX\n"));
  EXPECT_THAT(again.texts("bottom"), ElementsAre("x", "y"));
  const Message& params = again.message("convolution_param");
  EXPECT_THAT(params.integers("kernel_size"), ElementsAre(3, 5));
  EXPECT_EQ(params.integer("axis"), -2);
  EXPECT_FALSE(params.boolean("bias_term"));
  // Defaults are those of net.proto.
  EXPECT_EQ(params.integer("group"), 1);
  EXPECT_EQ(again.message("lrn_param").number("beta"), 0.75);
  EXPECT_EQ(again.message("pooling_param").choice("round_mode"), "CEIL");
}

// The bytes of a NetParameter field: tag, length, content.
std::string field(int number, const std::string& content) {
  std::string result;
  const int tag = number << 3 | 2;
  if (tag >= 128) result += static_cast<char>((tag & 127) | 128);
  result += static_cast<char>(tag >= 128 ? tag >> 7 : tag);
  return result + static_cast<char>(content.size()) + content;
}

TEST(MessageTest, WhatIsNotKnownIsPassedOver) {
  // A varint, a group, four and eight bytes, and a name that comes twice.
  const std::string bytes = field(1, "first") + "\xf8\x07\x96\x01" +
                            "\xfb\x07\x08\x01\xfc\x07" + "\xfd\x07" + "abcd" +
                            "\xf9\x07" + "abcdefgh" + field(1, "last");
  EXPECT_EQ(decoded(bytes, "NetParameter").text("name"), "last");
  // Phase 7 has no name, so there is none.
  EXPECT_FALSE(decoded("\x08\x07", "NetStateRule").has("phase"));
}

TEST(MessageTest, DamageIsNamedWithItsPlace) {
  const std::string net = field(100, field(1, "conv1") + "\x3a\x05" + "\x2a");
  EXPECT_THAT(
      [&] { decoded(net, "NetParameter"); },
      ThrowsMessage<IoError>(::testing::AllOf(
          HasSubstr("expected 5 more bytes"), HasSubstr("'conv1' blobs[0]"))));
  EXPECT_THAT(
      [] { decoded(std::string("\x00\x01", 2), "NetParameter"); },
      ThrowsMessage<IoError>(HasSubstr("the number of a field, got 0")));
  EXPECT_THAT([] { decoded("\x0f", "NetParameter"); },
              ThrowsMessage<IoError>(HasSubstr("a type from 0 to 5")));
  EXPECT_THAT([] { decoded("\x20" + std::string(11, '\xff'), "NetParameter"); },
              ThrowsMessage<IoError>(HasSubstr("more than ten bytes")));
  EXPECT_THAT([] { decoded(std::string(200, '\x0b'), "BlobShape"); },
              ThrowsMessage<IoError>(HasSubstr("100 groups")));
  EXPECT_THAT([] { decoded("\x2a\x03" + std::string("abc"), "BlobProto"); },
              ThrowsMessage<IoError>(HasSubstr("numbers of 4 bytes, got 3")));
}

TEST(MessageTest, NamesThatAreNotInTheSchemaAreErrors) {
  Message message("BlobShape");
  EXPECT_THROW(Message("Nothing"), ValueError);
  EXPECT_THROW(message.integer("nothing"), ValueError);
  EXPECT_THROW(Message("NetStateRule").add_choice("phase", "NONE"), ValueError);
}

Message mean_blob() {
  Message blob("BlobProto");
  for (const auto& [name, value] :
       {std::pair{"num", 1}, {"channels", 3}, {"height", 2}, {"width", 2}}) {
    blob.add(name, int64_t{value});
  }
  blob.add_values("data", array::arange(12, Dtype::kFloat32));
  return blob;
}

TEST(MeanFileTest, ReadsBinaryprotoAndNpy) {
  const testing::TempFolder folder;
  const Array mean = array::arange(12, Dtype::kFloat32).reshape({3, 2, 2});
  testing::write_file(folder.file("mean.binaryproto"), encoded(mean_blob()));
  EXPECT_THAT(read_mean_file(folder.file("mean.binaryproto")), IsArray(mean));
  array::save_npy(folder.file("mean.npy"), mean.astype(Dtype::kFloat64));
  EXPECT_THAT(read_mean_file(folder.file("mean.npy")), IsArray(mean));
  array::save_npy(folder.file("three.npy"), array::arange(3, Dtype::kFloat32));
  EXPECT_EQ(read_mean_file(folder.file("three.npy")).shape(), Shape({3, 1, 1}));
}

TEST(MeanFileTest, OtherFilesAreErrors) {
  const testing::TempFolder folder;
  const std::string path = folder.file("mean.binaryproto");
  EXPECT_THROW(read_mean_file(path), IoError);
  testing::write_file(path, "");
  EXPECT_THAT([&] { read_mean_file(path); },
              ThrowsMessage<IoError>(HasSubstr("mean.binaryproto")));
  testing::expect_no_harm_by_mutations(
      encoded(mean_blob()),
      [&](const std::string& bytes) {
        testing::write_file(path, bytes);
        read_mean_file(path);
      },
      200);
}

}  // namespace
}  // namespace catena::caffe
