#include "catena/serializers/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/support/python.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string file_of(const std::string& header, const std::string& data) {
  const auto size = std::bit_cast<std::array<char, 8>>(uint64_t{header.size()});
  return std::string(size.data(), 8) + header + data;
}

class SafetensorsTest : public ::testing::Test {
 protected:
  // Reads "x" from a file made of these parts.
  Array read(const std::string& header, const std::string& data) {
    const std::string path = folder_.file("file");
    write_file(path, file_of(header, data));
    Array x;
    load_safetensors(path, [&](const Serializer& s) { s("x", x); });
    return x;
  }
  void expect_refusal(const std::string& header, const std::string& data,
                      const std::string& message) {
    EXPECT_THAT(error_of<IoError>([&] { read(header, data); }),
                HasSubstr(message))
        << header;
  }

  TempFolder folder_;
};

TEST_F(SafetensorsTest, ReadsTheFormatAsDescribed) {
  EXPECT_THAT(
      read(R"({"__metadata__":{"format":"pt"},)"
           R"("y":{"dtype":"U8","shape":[],"data_offsets":[6,7]},)"
           R"("x":{"dtype":"I16","shape":[1,3],"data_offsets":[0,6]}}  )",
           std::string("\1\0\2\0\377\377\7", 7)),
      IsArray(array::array({{1, 2, -1}}).astype(Dtype::kInt16)));
}

TEST_F(SafetensorsTest, WritesTheFormatAsDescribed) {
  Array x = array::array({1, 2}).astype(Dtype::kUInt8);
  Array y = array::array({1.5f});
  std::string text = "hello";
  const std::string path = folder_.file("written");
  save_safetensors(path, [&](const Serializer& s) {
    s("x", x);
    s["group"]("y", y);
    s("text", text);
  });
  std::string header =
      R"({"__metadata__":{"crc32:group/y":"33dd1661","crc32:text":"3610a686",)"
      R"("crc32:x":"f91b98c7","text:text":"hello"},)"
      R"("group/y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
      R"("x":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})";
  header.append(-(header.size() + 8) % 64, ' ');
  EXPECT_EQ(read_file(path),
            file_of(header, std::string("\0\0\300\77\1\2", 6)));
}

TEST_F(SafetensorsTest, SafetensorsReadsWhatIsSaved) {
  const auto python = testing::python_with("numpy, safetensors.numpy");
  if (!python) GTEST_SKIP() << "no python3 with safetensors on this machine";
  Array x = array::arange(6).astype(Dtype::kFloat16).reshape({2, 3});
  std::string text = "hello";
  const std::string path = folder_.file("interop.safetensors");
  save_safetensors(path, [&](const Serializer& s) {
    s["group"]("x", x);
    s("text", text);
  });
  const testing::PythonResult result = testing::run_python(*python, R"(
import sys
import numpy as np
import safetensors
import safetensors.numpy
x = safetensors.numpy.load_file(sys.argv[1])['group/x']
assert x.dtype == 'f2' and x.tolist() == [[0, 1, 2], [3, 4, 5]]
with safetensors.safe_open(sys.argv[1], 'numpy') as f:
    assert f.metadata()['text:text'] == 'hello'
safetensors.numpy.save_file({'x': x}, sys.argv[1])
)",
                                                           {path});
  EXPECT_EQ(result.status, 0) << result.output;
  Array back;
  load_safetensors(path, [&](const Serializer& s) { s("x", back); });
  EXPECT_THAT(back, IsArray(x));
}

TEST_F(SafetensorsTest, HeadersThatDoNotHoldAreRefused) {
  const std::string data(8, '\0');
  expect_refusal("", "", "expected a header that is a JSON object");
  expect_refusal("[]", "", "expected a header that is a JSON object");
  expect_refusal("{", "", "expected a header that is a JSON object");
  expect_refusal("{\"x\":" + std::string(100000, '['), "",
                 "got deeper nesting");
  for (const std::string start : {" ", "\n", "\xef\xbb\xbf"}) {
    expect_refusal(start + "{}", "", "a JSON object from its first byte on");
  }
  expect_refusal(R"({"x":3})", "", "expected dtype, shape and data_offsets");
  for (const std::string entry : {R"("shape":[8],"data_offsets":[0,8])",
                                  R"("dtype":"U8","data_offsets":[0,8])",
                                  R"("dtype":"U8","shape":[8])"}) {
    expect_refusal(R"({"x":{)" + entry + "}}", data,
                   "'x': expected dtype, shape and data_offsets");
  }
  expect_refusal(R"({"x":{"dtype":8,"shape":[8],"data_offsets":[0,8]}})", data,
                 "expected a dtype that catena has, got '8'");
  expect_refusal(R"({"x":{"dtype":"U8","shape":8,"data_offsets":[0,8]}})", data,
                 "expected a shape of at most 8 axes, got '8'");
  expect_refusal(R"({"x":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})",
                 data, "expected a dtype that catena has");
  expect_refusal(R"({"x":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
                 data, "expected a shape of at most 8 axes");
  expect_refusal(R"({"x":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],)"
                 R"("data_offsets":[0,8]}})",
                 data, "expected a shape of at most 8 axes");
  expect_refusal(R"({"x":{"dtype":"F32","shape":[4611686018427387904,4],)"
                 R"("data_offsets":[0,8]}})",
                 data, "bytes, got shape");
  expect_refusal(R"({"x":{"dtype":"F32","shape":[0,4611686018427387904,4],)"
                 R"("data_offsets":[0,0]}})",
                 "", "bytes, got shape");
  // Printing each level would take a stack frame.
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const std::string& entry :
       {R"("dtype":)" + deep + R"(,"shape":[2],"data_offsets":[0,8])",
        R"("dtype":"F32","shape":)" + deep + R"(,"data_offsets":[0,8])",
        R"("dtype":"F32","shape":[2],"data_offsets":)" + deep}) {
    expect_refusal(R"({"x":{)" + entry + "}}", data, "got deeper nesting");
  }
  for (const std::string offsets :
       {"[0,4]", "[4,12]", "[8,0]", "[0]", "[0,8,8]", "[0.0,8.0]", "8",
        "[-8,0]", "[0,18446744073709551615]"}) {
    expect_refusal(
        R"({"x":{"dtype":"F32","shape":[2],"data_offsets":)" + offsets + "}}",
        data, "expected offsets of 8 bytes within 8");
  }
  expect_refusal(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                 data, "expected contiguous arrays");
  expect_refusal(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                 data, "expected 4 bytes of arrays, got 8");
  expect_refusal(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                 R"("x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                 data, "expected unique names");
  expect_refusal(std::string("{}\0{", 4), "", "got a zero byte in it");
  expect_refusal(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8],)"
                 R"("dtype":"I32"}})",
                 data, "expected unique names");
  expect_refusal(R"({"__metadata__":{"a":"1","a":"1"}})", "",
                 "expected unique names");
  // Names of one entry may be those of another.
  EXPECT_NO_THROW(read(R"({"__metadata__":{"dtype":"","x":""},)"
                       R"("x":{"dtype":"F32","shape":[1],)"
                       R"("data_offsets":[0,4]},)"
                       R"("y":{"dtype":"F32","shape":[1],)"
                       R"("data_offsets":[4,8]}}  )",
                       data));
  expect_refusal(R"({"x":{"dtype":"BOOL","shape":[8],"data_offsets":[0,8]}})",
                 std::string(8, '\2'), "expected 0 and 1 as bool");
  expect_refusal(R"({"__metadata__":{"a":1}})", "",
                 "metadata 'a': expected text");
  expect_refusal(R"({"__metadata__":"a"})", "",
                 "expected metadata that is a JSON object");
}

TEST_F(SafetensorsTest, AFileHasNoMoreEntriesThanTheLimit) {
  const std::string path = folder_.file("many");
  write_file(path, file_of(R"({"x":{"dtype":"U8","shape":[1],)"
                           R"("data_offsets":[0,1]},"__metadata__":{}})",
                           "1"));
  const auto read_with = [&](int64_t members) {
    return SafetensorsDeserializer(path, {.limits = {.members = members}})
        .keys();
  };
  EXPECT_THAT(read_with(2), ::testing::ElementsAre("x"));
  EXPECT_THAT(error_of<IoError>([&] { read_with(1); }),
              HasSubstr("expected at most 1 entries, got 2"));
}

TEST_F(SafetensorsTest, BoolsAreZeroAndOne) {
  EXPECT_THAT(read(R"({"x":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})",
                   std::string("\0\1", 2)),
              IsArray(array::array({0, 1}).astype(Dtype::kBool)));
}

TEST_F(SafetensorsTest, NothingIsAFileOfAHeaderAlone) {
  const std::string path = folder_.file("nothing");
  save_safetensors(path, [](const Serializer&) {});
  EXPECT_EQ(read_file(path), file_of("{}" + std::string(54, ' '), ""));
  EXPECT_THAT(SafetensorsDeserializer(path).keys(), ::testing::IsEmpty());
}

TEST_F(SafetensorsTest, NoArrayHasTheNameOfTheMetadata) {
  Array x = array::ones({1});
  EXPECT_THAT(
      error_of<ValueError>([&] {
        save_safetensors(folder_.file("metadata"),
                         [&](const Serializer& s) { s("__metadata__", x); });
      }),
      HasSubstr("expected a key that is not taken, got '__metadata__'"));
}

TEST_F(SafetensorsTest, AHeaderLongerThanTheFileIsRefused) {
  const std::string path = folder_.file("long");
  write_file(path, std::string("\377\377\377\377\377\377\377\177{}", 10));
  EXPECT_THAT(error_of<IoError>([&] { SafetensorsDeserializer reader(path); }),
              HasSubstr("header of at most 2 bytes"));
}

TEST_F(SafetensorsTest, DataWhoseChecksumDiffersIsRefused) {
  const std::string header =
      R"({"__metadata__":{"crc32:x":"f91b98c7"},)"
      R"("x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  EXPECT_THAT(read(header, "\1\2"),
              IsArray(array::array({1, 2}).astype(Dtype::kUInt8)));
  expect_refusal(header, "\1\3", "the data is damaged: expected checksum");
}

TEST_F(SafetensorsTest, KeysAndTextAreUtf8) {
  Array x = array::ones({1});
  EXPECT_THROW(save_safetensors(folder_.file("bad"),
                                [&](const Serializer& s) { s("\377", x); }),
               ValueError);
}

TEST_F(SafetensorsTest, MapsArrays) {
  const std::string path = folder_.file("mapped");
  const Array x = array::arange(6, Dtype::kFloat32).reshape(2, 3);
  SafetensorsSerializer file(path);
  file.set_metadata("format", "pt");
  file.write("x", x);
  file.write("turned", x.transpose());  // copied when it is written
  file.write("none", array::zeros({0, 3}, Dtype::kFloat32));
  file.commit();
  Array mapped;
  {
    const SafetensorsDeserializer reader(path);
    EXPECT_EQ(reader.kind("turned").shape, Shape({3, 2}));
    EXPECT_EQ(reader.kind("x").dtype, Dtype::kFloat32);
    mapped = reader.map("x");
    EXPECT_THAT(reader.map("turned"), IsArray(x.transpose()));
    EXPECT_EQ(reader.map("none").shape(), Shape({0, 3}));
    EXPECT_THAT(error_of<IoError>([&] { reader.map("y"); }),
                HasSubstr("expected an array 'y'"));
  }
  EXPECT_THAT(mapped, IsArray(x));
  EXPECT_THAT(read_file(path), HasSubstr("\"format\":\"pt\""));
  mapped = Array();
  std::string bytes = read_file(path);
  bytes[bytes.size() - 2] = static_cast<char>(bytes[bytes.size() - 2] ^ 1);
  write_file(path, bytes);
  EXPECT_THAT(
      error_of<IoError>([&] { SafetensorsDeserializer(path).map("turned"); }),
      HasSubstr("the data is damaged"));
}

// Another program may have put arrays anywhere.
TEST_F(SafetensorsTest, MapsArraysThatAreNotAligned) {
  const std::string path = folder_.file("file");
  write_file(path, file_of(R"({"a":{"dtype":"U8","shape":[1],)"
                           R"("data_offsets":[0,1]},"x":{"dtype":"I16",)"
                           R"("shape":[2],"data_offsets":[1,5]}})",
                           std::string("\7\1\0\2\0", 5)));
  const SafetensorsDeserializer reader(path);
  EXPECT_THAT(reader.map("x"),
              IsArray(array::array({1, 2}).astype(Dtype::kInt16)));
  EXPECT_THAT(reader.map("a"),
              IsArray(array::array({7}).astype(Dtype::kUInt8)));
}

}  // namespace
}  // namespace catena::serializers
