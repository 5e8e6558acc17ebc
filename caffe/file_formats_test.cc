// Tests of message files: nets and mean images.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy.h"
#include "catena/caffe/mean_file.h"
#include "catena/caffe/net_definition.h"
#include "catena/caffe/net_messages.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::caffe {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;

// Seven bits per byte, lowest first.
std::string varint(size_t value) {
  std::string result;
  for (; value >= 128; value >>= 7) result += static_cast<char>(value | 128);
  return result + static_cast<char>(value);
}

// A length-delimited field of a message: tag, length, content.
std::string field(int number, const std::string& content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

NetMessages read(const std::string& bytes, const LoadLimits& limits = {}) {
  return read_net(array::ByteSource::of_memory(bytes, "test"), limits);
}

void expect_refused(const std::string& bytes, const std::string& message,
                    const LoadLimits& limits = {}) {
  EXPECT_THAT(error_of<IoError>([&] { read(bytes, limits); }),
              HasSubstr(message));
}

TEST(NetMessagesTest, AWrittenNetIsRead) {
  NetParameter net;
  net.set_name("n");
  net.add_input("x");
  LayerParameter& layer = *net.add_layer();
  layer.set_name("a \"b\"\n");
  layer.mutable_convolution_param()->add_kernel_size(300);
  layer.mutable_convolution_param()->set_axis(-2);
  add_blob(layer, array::arange(6, Dtype::kFloat64).reshape({2, 3}).T());
  std::string bytes;
  array::StringSink sink(&bytes);
  write_net(net, sink);
  NetMessages again = read(bytes);
  ASSERT_EQ(again.layers.size(), 1u);
  EXPECT_EQ(again.layers[0]->SerializeAsString(), layer.SerializeAsString());
  EXPECT_THAT(again.layers[0]->blobs(0).data(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(again.layers[0]->blobs(0).shape().dim(), ElementsAre(3, 2));
  // Defaults are those of the format.
  EXPECT_EQ(again.layers[0]->convolution_param().group(), 1u);
  net.clear_layer();
  EXPECT_EQ(again.net->SerializeAsString(), net.SerializeAsString());
}

TEST(NetMessagesTest, WhatIsNotKnownIsPassedOver) {
  // A varint, a group, four and eight bytes, and a repeated name.
  const std::string others = std::string("\xf8\x07\x96\x01") +
                             "\xfb\x07\x08\x01\xfc\x07" + "\xfd\x07" + "abcd" +
                             "\xf9\x07" + "abcdefgh";
  const std::string name = field(1, "first") + others + field(1, "last");
  // Phase 7 does not exist, so no phase is set.
  const std::string rule = field(8, "\x08\x07");
  const NetMessages messages = read(name + field(100, name + rule));
  EXPECT_EQ(messages.net->name(), "last");
  ASSERT_EQ(messages.layers.size(), 1u);
  EXPECT_EQ(messages.layers[0]->name(), "last");
  EXPECT_EQ(messages.layers[0]->include_size(), 1);
  EXPECT_FALSE(messages.layers[0]->include(0).has_phase());
  EXPECT_EQ(messages.layers[0]->ByteSizeLong(), 8u);
}

TEST(NetMessagesTest, DamageIsNamedWithItsPlace) {
  const std::string conv = field(1, "conv1");
  const std::string begin = field(100, field(1, "first"));
  // A blob of five bytes; only one is present.
  expect_refused(begin + field(100, conv + "\x3a\x05" + "\x2a"),
                 "cannot read layer[1] 'conv1' beyond blobs[0]: its "
                 "beginning, at byte 13 of 23");
  expect_refused(field(2, field(4, "conv1") + field(6, field(5, "abc"))),
                 "cannot read layers[0] 'conv1' beyond blobs[0]");
  // Numbers of four bytes; the last one lacks a byte.
  expect_refused(
      field(100, field(7, field(5, bytes_of<float>({1, 2}) + "abc"))),
      "cannot read layer[0] '' beyond blobs[0]");
  expect_refused("\xa2\x06\x20" + conv,
                 "expected 32 more bytes, but 7 are there, in layer[0] 'conv1' "
                 "beyond name, at byte 3 of 10");
  expect_refused("\xa2\x06\xff\xff\xff\xff\xff\xff",
                 "expected the length of layer[0]");
  expect_refused(field(8, "\x0a\x05"), "cannot read the net's input_shape[0]");
  for (const std::string& bytes :
       {std::string("\x00\x01", 2), std::string("\x0f"), std::string("\x0c"),
        "\x20" + std::string(11, '\xff'),
        std::string("\x0a\x05"
                    "ab"),
        std::string(200, '\x0b')}) {
    expect_refused(bytes, "expected a field of a net, at byte 0 of ");
  }
}

TEST(NetMessagesTest, LimitsAreKept) {
  const testing::TempFolder folder;
  const std::string layers = field(100, "") + field(100, "");
  EXPECT_EQ(read(layers, {.members = 2}).layers.size(), 2u);
  expect_refused(layers,
                 "layer[1] exceeds the limit of 1 layers (LoadLimits::members)",
                 {.members = 1});
  const std::string path = folder.file("large.caffemodel");
  testing::write_file(path, field(1, "large"));
  std::filesystem::resize_file(path, int64_t{1} << 31);
  EXPECT_THAT(error_of<IoError>([&] { NetDefinition::open(path); }),
              HasSubstr("at most 2147483647 bytes, as the format allows"));
  LayerParameter layer;
  EXPECT_THAT(error_of<ValueError>([&] {
                add_blob(
                    layer,
                    array::zeros({}, Dtype::kFloat32).broadcast_to({1 << 30}));
              }),
              HasSubstr("at most 2147483647 bytes"));
}

// Each has two bytes in the file but takes some hundred bytes of memory.
TEST(NetMessagesTest, EmptyMessagesMayNotTakeAllMemory) {
  const auto many = [](const std::string& field, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += field;
    return result;
  };
  expect_refused(field(100, "") + field(100, many(field(7, ""), 2'000'000)),
                 "bytes of memory, got more, mostly empty, after 1 layers, at "
                 "byte 3 of 4000009;");
  expect_refused(many(field(3, ""), 2'000'000),
                 "expected messages that take at most 99108864 bytes");
  const NetMessages some = read(field(100, many(field(7, ""), 10'000)));
  EXPECT_EQ(some.layers[0]->blobs_size(), 10'000);
}

TEST(NetMessagesTest, AWriteThatFailsIsTheSinksError) {
  class FullSink : public array::ByteSink {
   public:
    void write(std::span<const char>) override { raise<IoError>("full"); }
    void overwrite(int64_t, std::span<const char>) override {}
    int64_t position() const override { return 0; }
    std::string where() const override { return "full"; }
  };
  NetParameter net;
  net.set_name("n");
  FullSink sink;
  EXPECT_THAT(error_of<IoError>([&] { write_net(net, sink); }),
              HasSubstr("full"));
}

// Values packed in one piece or in several, unpacked, or as doubles.
TEST(NetDefinitionTest, ValuesOfEveryFormOutliveTheDefinition) {
  const std::string shape = field(7, field(1, "\x04"));
  const std::vector<float> values = {1, -2, 3, 0.5};
  std::string single;
  for (const float value : values) single += "\x2d" + bytes_of<float>({value});
  for (const std::string& data :
       {field(5, bytes_of(values)),
        field(5, bytes_of<float>({1, -2, 3})) +
            field(5, bytes_of<float>({0.5})),
        single, field(8, bytes_of<double>({1, -2, 3, 0.5}))}) {
    Array array;
    {
      const std::string net =
          field(100, field(1, "fc") + field(7, data + shape));
      const NetDefinition definition = NetDefinition::from_bytes(net);
      array = definition.layers.at(0).blobs.at(0).values({2, 2});
    }
    EXPECT_THAT(array, IsArray(array::array(values, Shape{2, 2})));
  }
}

std::string mean_bytes() {
  BlobProto blob;
  blob.set_num(1);
  blob.set_channels(3);
  blob.set_height(2);
  blob.set_width(2);
  for (int i = 0; i < 12; ++i) blob.add_data(static_cast<float>(i));
  return blob.SerializeAsString();
}

TEST(MeanFileTest, ReadsBinaryprotoAndNpy) {
  const testing::TempFolder folder;
  const Array mean = array::arange(12, Dtype::kFloat32).reshape({3, 2, 2});
  testing::write_file(folder.file("mean.binaryproto"), mean_bytes());
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
  EXPECT_THAT(error_of<IoError>([&] { read_mean_file(path); }),
              HasSubstr("mean.binaryproto"));
  testing::write_file(path, field(5, "abc"));
  EXPECT_THAT(error_of<IoError>([&] { read_mean_file(path); }),
              HasSubstr("cannot read the blob beyond"));
  testing::expect_no_harm_by_mutations(
      mean_bytes(),
      [&](const std::string& bytes) {
        testing::write_file(path, bytes);
        read_mean_file(path);
      },
      200);
}

}  // namespace
}  // namespace catena::caffe
