#include "catena/dataset/tokenizers/token_file.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/tokenizers/token_dataset.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::read_file;
using ::catena::testing::write_file;
using ::testing::HasSubstr;

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(T)};
}

std::string header(int32_t magic, int32_t version, int32_t count) {
  std::vector<int32_t> numbers(256);
  numbers[0] = magic;
  numbers[1] = version;
  numbers[2] = count;
  return bytes_of(numbers);
}

class TokenFileTest : public ::testing::Test {
 protected:
  std::string file(const std::string& bytes) const {
    const std::string path = folder_.file("tokens.bin");
    write_file(path, bytes);
    return path;
  }
  std::string error(const std::string& bytes,
                    const MapTokensOptions& options = {}) const {
    return error_of<IoError>([&] { map_tokens(file(bytes), options); });
  }

  const testing::TempFolder folder_;
  const std::string tokens_ = bytes_of<uint16_t>({1, 50256, 3, 4});
  const Array expected_ = array::array({1, 50256, 3, 4}, Dtype::kUInt16);
  const MapTokensOptions llm_c_ = {.format = TokenFileFormat::kLlmC};
};

TEST_F(TokenFileTest, MapsFilesOfBothFormats) {
  EXPECT_THAT(map_tokens(file(tokens_), {.vocabulary = 50257}),
              IsArray(expected_));
  const std::string path = file(header(20240520, 1, 4) + tokens_);
  const Array tokens = map_tokens(path, llm_c_);
  EXPECT_THAT(tokens, IsArray(expected_));
  const TokenDataset windows(tokens, 2);
  ASSERT_EQ(windows.size(), 2);
  EXPECT_THAT(windows[1][1], IsArray(array::array({3, 4}, Dtype::kUInt16)));
  EXPECT_EQ(map_tokens(file("")).shape(), Shape({0}));
  EXPECT_EQ(map_tokens(file(header(20240520, 1, 0)), llm_c_).shape(),
            Shape({0}));
}

TEST_F(TokenFileTest, ChangesOfTheArrayStayInTheProcess) {
  const std::string path = file(tokens_);
  const Array tokens = map_tokens(path);
  tokens.fill(7);
  EXPECT_EQ(read_file(path), tokens_);
}

TEST_F(TokenFileTest, RefusesOtherFiles) {
  EXPECT_THAT(error(tokens_ + "x"),
              HasSubstr("expected tokens of 2 bytes, got 9 bytes"));
  EXPECT_THAT(error(tokens_, llm_c_),
              HasSubstr("a header of 1024 bytes, got 8 bytes in all"));
  EXPECT_THAT(error(header(20240801, 7, 4) + tokens_, llm_c_),
              HasSubstr("begins with 20240520 and 1, got 20240801 and 7"));
  EXPECT_THAT(error(header(20240520, 1, 5) + tokens_, llm_c_),
              HasSubstr("expected 5 tokens of 2 bytes behind the header, got "
                        "8 bytes"));
  EXPECT_THAT(error(header(20240520, 1, -4) + tokens_, llm_c_),
              HasSubstr("expected -4 tokens"));
  EXPECT_THAT(error(tokens_, {.vocabulary = 50256}),
              HasSubstr("expected ids below 50256, got 50256 as token 1"));
  EXPECT_THAT(error(tokens_, {.limits = {.file_bytes = 7}}), HasSubstr("7"));
  EXPECT_THAT(error_of<IoError>([] { map_tokens("/none/x.bin"); }),
              HasSubstr("map_tokens: '/none/x.bin'"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { map_tokens(file(tokens_), {.vocabulary = 0}); }),
              HasSubstr("expected a positive vocabulary, got 0"));
}

}  // namespace
}  // namespace catena::datasets
