#include "catena/array/io/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npz.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::read_file;
using testing::runfile;
using testing::TempFolder;
using testing::write_file;

std::string golden(const std::string& name) {
  return runfile("tests/golden/array/npy/" + name);
}

TEST(ByteSourceTest, MapsAnyPart) {
  const TempFolder folder;
  std::string bytes(20'000, 'x');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i / 7);
  write_file(folder.file("bytes"), bytes);
  const ByteSource file = ByteSource::open(folder.file("bytes"), "test", {});
  const ByteSource memory = ByteSource::of_memory(bytes, "test");
  for (const ByteSource* source : {&file, &memory}) {
    for (const auto& [offset, count] :
         {std::pair{0, 20'000}, {4096, 1}, {5000, 9000}, {19'999, 1}}) {
      const auto mapped = source->map(offset, count);
      EXPECT_EQ(std::string_view(mapped.get(), count),
                std::string_view(bytes).substr(offset, count));
    }
    EXPECT_NE(source->map(20'000, 0), nullptr);
    EXPECT_THROW(source->map(20'000, 1), IoError);
    EXPECT_THROW(source->map(-1, 1), IoError);
    EXPECT_THROW(source->map(1, -1), IoError);
  }
  std::filesystem::resize_file(folder.file("bytes"), 100);
  EXPECT_THAT(error_of<IoError>([&] { file.map(0, 20'000); }),
              HasSubstr("the file shrank"));
}

TEST(StringSinkTest, OnlyWhatIsThereIsReplaced) {
  std::string text;
  StringSink sink(&text);
  sink.write(std::string("abcd"));
  sink.overwrite(1, std::string("BC"));
  EXPECT_EQ(text, "aBCd");
  for (const auto& [offset, bytes] :
       {std::pair{-1, "x"}, {3, "xy"}, {0, "vwxyz"}}) {
    EXPECT_THROW(sink.overwrite(offset, std::string_view(bytes)), IoError)
        << offset;
  }
  EXPECT_THAT(error_of<IoError>([&] { sink.overwrite(3, std::string("xy")); }),
              HasSubstr("expected 2 bytes to replace within 4, got offset 3"));
  EXPECT_EQ(text, "aBCd");
}

NpyValue value_of(std::string_view bytes, const LoadLimits& limits = {}) {
  const ByteSource source = ByteSource::of_memory(bytes, "test");
  SourceStream stream(source);
  return read_npy(stream, limits);
}

std::string bytes_of(const NpyValue& value) {
  std::string bytes;
  StringSink sink(&bytes);
  write_npy(sink, value, "test");
  return bytes;
}

// A file with any header text.
std::string npy_file(const std::string& header, const std::string& data = "",
                     int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(header.size() >> 8 * i);
  }
  return bytes + header + data;
}

std::string dict(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr +
         "', 'fortran_order': False, 'shape': " + shape + "}";
}

// What the message of the IoError is that reading these bytes throws.
std::string error_of(const std::string& bytes, const LoadLimits& limits = {}) {
  try {
    value_of(bytes, limits);
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

std::string header_error(const std::string& header) {
  return error_of(npy_file(header));
}

TEST(NpyGoldenTest, ReadsEveryDtypeOrderAndVersion) {
  const NpzReader expected(golden("expected.npz"));
  ASSERT_FALSE(expected.keys().empty());
  for (const std::string& name : expected.keys()) {
    EXPECT_THAT(load_npy(golden(name + ".npy")),
                IsArray(expected.read_array(name)))
        << name;
  }
}

TEST(NpyGoldenTest, ReadsText) {
  const NpyValue value = value_of(read_file(golden("unicode.npy")));
  ASSERT_TRUE(value.is_text());
  EXPECT_EQ(value.strings().shape, Shape({2}));
  EXPECT_EQ(value.strings().values.size(), 2u);
  EXPECT_EQ(bytes_of(value), read_file(golden("unicode.npy")));
}

TEST(NpyGoldenTest, RecognizesNone) {
  EXPECT_TRUE(value_of(read_file(golden("object_none.npy"))).is_none());
}

TEST(NpyGoldenTest, ErrorsNameFileExpectedAndActual) {
  EXPECT_THAT(error_of<IoError>([] { load_npy(golden("bad_magic.npy")); }),
              AllOf(HasSubstr("load_npy: '"), HasSubstr("bad_magic.npy'"),
                    HasSubstr("expected a .npy file"),
                    HasSubstr("got '\\x93NUMPX\\x01\\x00'")));
  EXPECT_THAT(error_of<IoError>([] { load_npy(golden("truncated.npy")); }),
              HasSubstr("truncated.npy': expected 80 bytes of data for "
                        "shape (10,) of 8-byte items, got 68"));
  EXPECT_THAT(error_of<IoError>([] { load_npy(golden("complex64.npy")); }),
              HasSubstr("complex64.npy': dtype '<c8' is not supported"));
  EXPECT_THAT(error_of<IoError>([] { load_npy(golden("unicode.npy")); }),
              HasSubstr("unicode.npy': expected an array of numbers, got "
                        "text of shape (2,)"));
  EXPECT_THAT(error_of<IoError>([] { load_npy(golden("object_none.npy")); }),
              HasSubstr("of numbers, got None"));
  EXPECT_THAT(error_of<IoError>([] { load_npy("/nonexistent/x.npy"); }),
              "load_npy: '/nonexistent/x.npy': cannot open the file: No "
              "such file or directory");
  EXPECT_THAT(error_of<IoError>([] { load_npy("/"); }),
              HasSubstr("got a directory"));
}

TEST(NpyTest, WritesTheBytesThatNumPyWrites) {
  for (const char* name :
       {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
        "uint64", "float16", "float32", "float64", "five_d_u8", "zero_d_f32",
        "empty_f32", "object_none"}) {
    const std::string bytes = read_file(golden(std::string(name) + ".npy"));
    EXPECT_EQ(bytes_of(value_of(bytes)), bytes) << name;
  }
}

class NpyDeviceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, NpyDeviceTest, testing::every_device(),
                         testing::device_name);

TEST_P(NpyDeviceTest, SavesWhatItLoads) {
  const TempFolder folder;
  const Array a = load_npy(golden("five_d_u8.npy"));
  EXPECT_EQ(a.device(), device());
  save_npy(folder.file("a.npy"), a);
  EXPECT_EQ(read_file(folder.file("a.npy")),
            read_file(golden("five_d_u8.npy")));
  EXPECT_THAT(load_npy(folder.file("a.npy")), IsArray(a));
}

TEST_P(NpyDeviceTest, SavesViewsInCOrder) {
  const Array a = load_npy(golden("fortran_f32.npy"));
  EXPECT_THAT(array_from_npy(npy_from_array(a.transpose())),
              IsArray(a.transpose().copy()));
  const Array view = a[{Slice(std::nullopt, std::nullopt, -1), Slice(1, 3)}];
  EXPECT_THAT(array_from_npy(npy_from_array(view)), IsArray(view.copy()));
}

TEST(NpyTest, LoadsToTheCurrentDeviceAndSavesFromAnyOther) {
  const TempFolder folder;
  const DeviceScope scope(native_device(1));
  const Array a = load_npy(golden("float32.npy"));
  EXPECT_EQ(a.device(), native_device(1));
  save_npy(folder.file("a.npy"), a);
  EXPECT_EQ(read_file(folder.file("a.npy")), read_file(golden("float32.npy")));
}

TEST(NpyTest, RefusesToSaveBFloat16AndUndefinedArrays) {
  const TempFolder folder;
  write_file(folder.file("a.npy"), "old");
  EXPECT_THAT(error_of<DtypeError>([&] {
                save_npy(folder.file("a.npy"), empty({2}, Dtype::kBFloat16));
              }),
              "save_npy: the .npy format has no bfloat16; "
              "save astype(Dtype::kFloat32), which holds "
              "every value");
  EXPECT_THROW(save_npy(folder.file("a.npy"), Array()), ValueError);
  EXPECT_EQ(read_file(folder.file("a.npy")), "old");
}

TEST(NpyTest, TextOfAnyShapeGoesThereAndBack) {
  const NpyString text({2, 2},
                       {"", "a", "\xe2\x82\xac\xf0\x9f\x98\x80", "bcd"});
  const NpyValue value = value_of(bytes_of(text));
  EXPECT_EQ(value.strings(), text);
  EXPECT_EQ(value_of(bytes_of(std::string("[]"))).text(), "[]");
  EXPECT_EQ(value_of(bytes_of(std::string())).text(), "");
}

TEST(NpyTest, ReadsByteStringsOfPython2) {
  const NpyValue value =
      value_of(npy_file(dict("|S3", "(2,)"), std::string("ab\0cde", 6)));
  EXPECT_THAT(value.strings().values, ElementsAre("ab", "cde"));
}

TEST(NpyTest, ReadsBigEndianText) {
  const NpyValue value = value_of(
      npy_file(dict(">U2", "()"), std::string("\0\0\0A\0\0\x20\xac", 8)));
  EXPECT_EQ(value.text(), "A\xe2\x82\xac");
}

TEST(NpyTest, ReadsTextWithoutCharacters) {
  EXPECT_EQ(value_of(npy_file(dict("<U0", "()"))).text(), "");
  EXPECT_EQ(value_of(npy_file(dict("|S0", "(1,)"))).strings(),
            NpyString({1}, {""}));
}

TEST(NpyTest, ReadsTextInFortranOrderOnlyIfThatIsCOrder) {
  const auto file = [](const std::string& shape) {
    return npy_file(
        "{'descr': '|S1', 'fortran_order': True, 'shape': " + shape + "}",
        "abcd");
  };
  EXPECT_THAT(value_of(file("(4,)")).strings().values,
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(error_of(file("(2, 2)")),
              HasSubstr("expected text in C order, got shape (2, 2) in Fortran "
                        "order"));
}

TEST(NpyTest, RefusesTextItCannotWrite) {
  EXPECT_THAT(error_of<ValueError>([] { bytes_of(std::string("\xff")); }),
              "test: expected text in UTF-8, got '\\xff'");
  EXPECT_THAT(error_of<ValueError>([] { bytes_of(NpyString({3}, {"a"})); }),
              "test: expected 3 strings for text of shape (3,), got 1");
}

// In memory each takes a std::string.
TEST(NpyTest, RefusesMoreTextThanTheLimit) {
  EXPECT_THAT(error_of(npy_file(dict("|S1", "(100,)"), std::string(100, 'a')),
                       {.array_bytes = 1000}),
              HasSubstr("expected at most 1000 bytes of text"));
}

TEST(NpyTest, RefusesTextThatIsNotUnicode) {
  EXPECT_THAT(error_of(npy_file(dict("<U1", "()"), "\xff\xff\xff\x7f")),
              HasSubstr("a character beyond Unicode"));
  EXPECT_THAT(error_of(npy_file(dict("<U0", "(9,)"))),
              HasSubstr("at least one character, got 9 items without any"));
}

TEST(NpyTest, BoolsAreZeroOrOneWhateverTheFileSays) {
  const Array a = value_of(npy_file(dict("|b1", "(3,)"), {2, 0, -1})).array();
  EXPECT_EQ(std::vector<char>(a.raw_data(), a.raw_data() + 3),
            (std::vector<char>{1, 0, 1}));
}

// NumPy 1.24: np.array(None).dumps() in protocols 2 to 4; 3 is that of np.save.
const std::string kNoneInProtocol2(
    "\x80\x02"
    "cnumpy.core.multiarray\n_reconstruct\nq\0cnumpy\nndarray\nq\x01K\0\x85q"
    "\x02"
    "c_codecs\nencode\nq\x03X\x01\0\0\0bq\x04X\x06\0\0\0latin1q\x05\x86q\x06Rq"
    "\x07\x87q\x08Rq\t(K\x01)cnumpy\ndtype\nq\nX\x02\0\0\0O8q\x0b\x89\x88\x87q"
    "\x0cRq\r(K\x03X\x01\0\0\0|q\x0eNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq"
    "\x0f"
    "b\x89]q\x10Natq\x11"
    "b.",
    190);
const std::string kNoneInProtocol4(
    "\x80\x04\x95\x86\0\0\0\0\0\0\0\x8c\x15numpy.core.multiarray\x94\x8c\x0c_"
    "reconstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\0\x85"
    "\x94"
    "C\x01"
    "b\x94\x87\x94R\x94(K\x01)h\x03\x8c\x05"
    "dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01|\x94NNN"
    "J\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94"
    "b\x89]\x94Nat\x94"
    "b.",
    145);

TEST(NpyTest, NoneIsRecognizedInEveryProtocol) {
  std::string numpy_2 = kNoneInProtocol4;
  numpy_2.replace(numpy_2.find("\x15numpy.core"), 11, "\x16numpy._core");
  numpy_2[3] += 1;  // the length of the frame
  for (const std::string& pickle :
       {kNoneInProtocol2, kNoneInProtocol4, numpy_2}) {
    EXPECT_TRUE(value_of(npy_file(dict("|O", "()"), pickle)).is_none());
  }
}

TEST(NpyTest, ADamagedNoneIsRefused) {
  for (const std::string& pickle : {kNoneInProtocol2, kNoneInProtocol4}) {
    for (size_t size = 0; size < pickle.size(); ++size) {
      EXPECT_NE(error_of(npy_file(dict("|O", "()"), pickle.substr(0, size))),
                "no error");
    }
    EXPECT_NE(error_of(npy_file(dict("|O", "()"), pickle + ".")), "no error");
    // Not for the numbers under which the memo has what is not used again.
    for (const std::string part :
         {"numpy", "multiarray", "_reconstruct", "ndarray", "K", "b", "R", "(",
          ")", "dtype", "O8", "|", "NNN", "J", "?", "]", "Na", "t", "\x87"}) {
      std::string damaged = pickle;
      damaged[damaged.find(part)] ^= 1;
      EXPECT_NE(error_of(npy_file(dict("|O", "()"), damaged)), "no error")
          << part;
    }
  }
}

TEST(NpyTest, OtherObjectsAreNeverLoaded) {
  const std::string start =
      "\x80\x02"
      "c_reconstruct";
  for (const std::string& pickle :
       {start + "]K\x01"
                "atb.",
        start + "](NNetb.", start + "Nb.", start + "NNatb.",
        std::string("\x80\x02]Natb."),
        // A name of fewer than two strings.
        std::string("\x80\x04\x93."), std::string("\x80\x04\x8c\x01n\x93."),
        std::string("\x80"
                    "b."),
        std::string("cos\nsystem\n(S'true'\ntR."), std::string(),
        std::string(2000, 'N')}) {
    EXPECT_THAT(error_of(npy_file(dict("|O", "()"), pickle)),
                HasSubstr("got pickled Python objects of shape (), which are "
                          "never loaded"));
  }
  EXPECT_THAT(error_of(npy_file(dict("|O", "(1,)"), kNoneInProtocol2)),
              HasSubstr("objects of shape (1,)"));
}

TEST(NpyHeaderTest, TakesWhatPythonWouldWrite) {
  for (const std::string& header :
       {std::string("{'shape':(3,),\"descr\":'|u1','fortran_order':True}"),
        std::string("{ 'descr' : '|u1', 'shape' : (3L,), 'fortran_order' : "
                    "False , }   \n"),
        std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3, "
                    ")}")}) {
    EXPECT_EQ(value_of(npy_file(header, "abc")).array().size(), 3) << header;
  }
}

TEST(NpyHeaderTest, RefusesWhatIsNoHeader) {
  EXPECT_THAT(header_error(""), HasSubstr("expected '{', got its end"));
  EXPECT_THAT(header_error("[1]"), HasSubstr("expected '{', got '[1]'"));
  for (const char* header : {"{}", "{'descr': '<f4', 'fortran_order': False}",
                             "{'descr': '<f4', 'shape': ()}",
                             "{'fortran_order': False, 'shape': ()}"}) {
    EXPECT_THAT(header_error(header),
                HasSubstr("expected the keys descr, fortran_order and shape"));
  }
  EXPECT_THAT(header_error("{'descr': '<f4'"), HasSubstr("expected '}'"));
  EXPECT_THAT(header_error("{'descr' '<f4'}"), HasSubstr("expected ':'"));
  EXPECT_THAT(header_error("{'other': 1}"), HasSubstr("got 'other'"));
  EXPECT_THAT(header_error("{descr: '<f4'}"), HasSubstr("expected a string"));
  EXPECT_THAT(header_error("{'descr': '<f4}"),
              HasSubstr("expected a closing quote"));
  EXPECT_THAT(header_error("{'descr': '\\x3cf4'}"),
              HasSubstr("a string without escapes"));
  EXPECT_THAT(header_error("{'descr': '<f4', 'descr': '<f4'}"),
              HasSubstr("expected each key once, got 'descr' twice"));
  EXPECT_THAT(header_error("{'fortran_order': 1}"),
              HasSubstr("expected True or False, got '1}'"));
  EXPECT_THAT(header_error(dict("<f4", "(1)")),
              HasSubstr("expected ',' after a lone extent"));
  EXPECT_THAT(header_error(dict("<f4", "(1, 2")), HasSubstr("expected ')'"));
  EXPECT_THAT(header_error(dict("<f4", "(-1,)")),
              HasSubstr("an extent from 0"));
  EXPECT_THAT(header_error(dict("<f4", "(9223372036854775808,)")),
              HasSubstr("an extent from 0 to 2^63 - 1"));
  EXPECT_THAT(header_error(dict("<f4", "()") + "x"),
              HasSubstr("expected nothing after the dict, got 'x'"));
  EXPECT_THAT(header_error("{'descr': [('a', '<f4')]}"),
              HasSubstr("a structured dtype, which is not supported"));
}

// NumPy 1.24 refuses them, too.
TEST(NpyHeaderTest, RefusesWhatPythonWouldNotRead) {
  for (const std::string extent : {"03", "00", "-0", "3\nL", "3 L"}) {
    EXPECT_NE(header_error(dict("|u1", "(" + extent + ", 1)")), "no error")
        << extent;
  }
  EXPECT_THAT(error_of(npy_file(dict("|u1", "(3L,)"), "abc", 2)), "no error");
  EXPECT_THAT(error_of(npy_file(dict("|u1", "(3L,)"), "abc", 3)),
              HasSubstr("expected ',' after a lone extent, got 'L,)}'"));
  EXPECT_THAT(
      error_of(npy_file(" \t" + dict("|u1", "(3,)") + " \t\n\n", "abc")),
      "no error");
  for (const std::string start : {"\n", "\n  ", " \n", "\r"}) {
    EXPECT_THAT(header_error(start + dict("|u1", "(3,)")),
                HasSubstr("expected '{'"));
  }
  for (const std::string end : {"\r ", "\n\t", "\n \n"}) {
    EXPECT_THAT(header_error(dict("|u1", "(3,)") + end),
                HasSubstr("expected nothing after the dict"));
  }
}

TEST(NpyHeaderTest, RefusesDtypesThatAreNotOurs) {
  for (const char* descr :
       {"", "<", "f4", "<f", "<f3", "<f16", "<i3", "<b2", "<u0", "<c8", "<M8",
        "|V2", "<f4x", "<f-4", "<U-1", "<U99999999999999999999",
        "<U1099511627777", "<float32"}) {
    EXPECT_THAT(
        header_error(dict(descr, "()")),
        HasSubstr("dtype '" + std::string(descr) + "' is not supported"));
  }
}

TEST(NpyHeaderTest, RefusesShapesBeforeItAllocates) {
  EXPECT_THAT(header_error(dict("<f8", "(4611686018427387904, 4)")),
              HasSubstr("(LoadLimits::array_bytes), got shape "
                        "(4611686018427387904, 4) of 8-byte items"));
  EXPECT_THAT(header_error(dict("<f8", "(0, 4611686018427387904, 4)")),
              HasSubstr("LoadLimits::array_bytes"));
  EXPECT_THAT(header_error(dict("<f8", "(1000000000,)")),
              HasSubstr("expected 8000000000 bytes of data for shape "
                        "(1000000000,) of 8-byte items, got 0"));
  EXPECT_THAT(header_error(dict("<f8", "(1,1,1,1,1,1,1,1,1)")),
              HasSubstr("expected at most 8 axes, got 9"));
}

TEST(NpyHeaderTest, RefusesOtherVersionsAndLengths) {
  std::string bytes = npy_file(dict("<f4", "()"), "1234");
  bytes[6] = 4;
  EXPECT_THAT(error_of(bytes),
              HasSubstr("expected .npy version 1.0, 2.0 or 3.0, got 4.0"));
  bytes[6] = 0;
  EXPECT_THAT(error_of(bytes), HasSubstr("got 0.0"));
  bytes[6] = bytes[7] = 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("got 1.1"));
  bytes[7] = 0;
  bytes[6] = 2;  // now the length has four bytes, two of them the dict's
  EXPECT_THAT(error_of(bytes), HasSubstr("expected a header of at most"));
  EXPECT_THAT(error_of(""), HasSubstr("got an empty file"));
  EXPECT_THAT(error_of("\x93NUM"), HasSubstr("got '\\x93NUM'"));
}

TEST(NpyLimitsTest, AreObeyed) {
  const std::string bytes = npy_file(dict("<f4", "(2, 2)"), std::string(16, 0));
  EXPECT_EQ(value_of(bytes, {.array_bytes = 16, .dims = 2}).array().size(), 4);
  EXPECT_THAT(error_of(bytes, {.array_bytes = 15}),
              HasSubstr("expected an array of at most 15 bytes"));
  EXPECT_THAT(error_of(bytes, {.dims = 1}),
              HasSubstr("expected at most 1 axes, got 2"));
  EXPECT_THAT(error_of(bytes, {.header_bytes = 10}),
              HasSubstr("expected a header of at most 10 bytes"));
  EXPECT_THAT(error_of<IoError>(
                  [] { load_npy(golden("float32.npy"), {.file_bytes = 100}); }),
              HasSubstr("expected at most 100 bytes "
                        "(LoadLimits::file_bytes), got 152"));
}

TEST(NpyTest, RefusesBytesAfterTheArray) {
  EXPECT_THAT(error_of(npy_file(dict("|u1", "(2,)"), "abc")),
              HasSubstr("expected 2 bytes of data for shape (2,) of 1-byte "
                        "items, got 3"));
}

TEST(NpyValueTest, SaysWhatItIsInstead) {
  EXPECT_THAT(error_of<DtypeError>([] { NpyValue(NpyNone{}).array(); }),
              "NpyValue::array: expected an array, got None");
  EXPECT_THAT(error_of<DtypeError>(
                  [] { NpyValue(empty({2}, Dtype::kInt8)).strings(); }),
              "NpyValue::strings: expected text, got an array of dtype "
              "int8 and shape (2,)");
  EXPECT_THAT(error_of<DtypeError>([] {
                NpyValue(NpyString({2}, {"a", "b"})).text();
              }),
              "NpyValue::text: expected a single string, got text of shape "
              "(2,)");
  EXPECT_THAT(error_of<DtypeError>([] { NpyValue(NpyNone{}).text(); }),
              "NpyValue::text: expected a single string, got None");
  EXPECT_THAT(error_of<DtypeError>([] { NpyValue(Array()).strings(); }),
              "NpyValue::strings: expected text, got an undefined array");
}

}  // namespace
}  // namespace catena::array
