#include "catena/dataset/datasets/shakespeare.h"

#include <algorithm>
#include <map>
#include <new>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"
#include "catena/array/io/line_reader.h"
#include "catena/dataset/data_file.h"

namespace catena::datasets {
namespace {

constexpr size_t kSpeeches = 7097;
constexpr size_t kCharacters = 1115394;
constexpr std::string_view kEndOfLine = "<eos>";
constexpr std::string_view kUnknown = "<unk>";

// Independent of the locale, unlike <cctype>.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::vector<std::string> words_of(const Speech& speech) {
  std::vector<std::string> words{speech.speaker + ":", std::string(kEndOfLine)};
  std::string_view rest = speech.text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    for (std::string& word : split_words(std::string(line))) {
      words.push_back(std::move(word));
    }
    words.emplace_back(kEndOfLine);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return words;
}

struct Text {
  std::vector<std::string> train, valid, test;
  Vocabulary vocabulary;
};

Text read_text(const GetShakespeareWordsOptions& options,
               std::string_view operation) {
  if (options.min_count < 1) {
    raise<ValueError>(operation, ": expected min_count >= 1, got ",
                      options.min_count);
  }
  Text text;
  size_t i = 0;
  for (const Speech& speech : get_shakespeare_speeches()) {
    const size_t place = i++ % 20;
    auto& words = place == 18   ? text.valid
                  : place == 19 ? text.test
                                : text.train;
    for (std::string& word : words_of(speech)) words.push_back(std::move(word));
  }
  std::map<std::string_view, int64_t> counts;
  for (const std::string& word : text.train) ++counts[word];
  for (const std::string& word : text.train) {
    const bool is_rare = counts[word] < options.min_count;
    const auto next = static_cast<int32_t>(text.vocabulary.size());
    text.vocabulary.try_emplace(is_rare ? std::string(kUnknown) : word, next);
  }
  text.vocabulary.try_emplace(std::string(kUnknown),
                              static_cast<int32_t>(text.vocabulary.size()));
  return text;
}

Array ids_of(const std::vector<std::string>& words,
             const Vocabulary& vocabulary) {
  const int32_t unknown = vocabulary.find(kUnknown)->second;
  std::vector<int32_t> ids;
  ids.reserve(words.size());
  for (const std::string& word : words) {
    const auto found = vocabulary.find(word);
    ids.push_back(found == vocabulary.end() ? unknown : found->second);
  }
  return array::copy_from(ids.data(), {static_cast<int64_t>(ids.size())},
                          Dtype::kInt32, native_device());
}

array::LineReader lines_of_plays(std::string_view operation) {
  return array::LineReader(
      dataset::find_data_file("dataset/data/shakespeare.txt.gz"), operation);
}

}  // namespace

std::vector<Speech> get_shakespeare_speeches() try {
  array::LineReader lines = lines_of_plays("get_shakespeare_speeches");
  std::vector<Speech> speeches;
  std::string speaker;
  bool is_new = false;
  for (std::string line; lines.next(line);) {
    if (line.empty()) {
      speaker.clear();
    } else if (speaker.empty()) {
      speaker = line;
      if (speaker.back() == ':') speaker.pop_back();
      is_new = true;
    } else if (std::exchange(is_new, false)) {
      speeches.push_back({.speaker = speaker, .text = line});
    } else {
      speeches.back().text += '\n' + line;
    }
  }
  if (speeches.size() != kSpeeches) {
    raise<IoError>(lines.where(), ": expected ", kSpeeches, " speeches, got ",
                   speeches.size());
  }
  return speeches;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_shakespeare_speeches");
}

std::string get_shakespeare_text() try {
  array::LineReader lines = lines_of_plays("get_shakespeare_text");
  std::string text;
  size_t count = 0;  // GCC warns of what it concludes from a size that it knows
  for (std::string line; lines.next(line);) {
    text += line;
    text += '\n';
    count += line.size() + 1;
  }
  if (count != kCharacters) {
    raise<IoError>(lines.where(), ": expected ", kCharacters,
                   " characters, got ", count);
  }
  return text;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_shakespeare_text");
}

WordSets get_shakespeare_words(const GetShakespeareWordsOptions& options) try {
  const Text text = read_text(options, "get_shakespeare_words");
  return {.train = ids_of(text.train, text.vocabulary),
          .valid = ids_of(text.valid, text.vocabulary),
          .test = ids_of(text.test, text.vocabulary)};
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_shakespeare_words");
}

Vocabulary get_shakespeare_words_vocabulary(
    const GetShakespeareWordsOptions& options) {
  return read_text(options, "get_shakespeare_words_vocabulary").vocabulary;
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    std::string word(1, to_lower(text[i]));
    const bool is_run = is_letter(text[i++]);
    while (is_run && i < text.size() &&
           (is_letter(text[i]) || (text[i] == '\'' && i + 1 < text.size() &&
                                   is_letter(text[i + 1])))) {
      word += to_lower(text[i++]);
    }
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace catena::datasets
