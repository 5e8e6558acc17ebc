#include "catena/examples/seq2seq/sentences.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "catena/array/core/error.h"
#include "catena/array/io/line_reader.h"

namespace catena::examples {
namespace {

constexpr int64_t kLinesBetweenReports = 1'000'000;

// The bytes of the white space at the start of `text`, or 0. Corpora have
// no-break spaces, U+00A0 and U+202F, around punctuation.
size_t space_at(std::string_view text) {
  const char c = text[0];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  if (text.starts_with("\u00a0")) return 2;
  const std::string_view three = text.substr(0, 3);
  const bool is_space = (three >= "\u2000" && three <= "\u200a") ||
                        three == "\u2028" || three == "\u202f" ||
                        three == "\u3000";
  return is_space ? 3 : 0;
}

// Calls `visit` with the parts of a line between white space.
template <class Visit>
void for_each_word(std::string_view line, const Visit& visit) {
  size_t begin = 0;
  for (size_t i = 0; i < line.size();) {
    const size_t space = space_at(line.substr(i));
    if (space > 0 && i > begin) visit(line.substr(begin, i - begin));
    i += std::max<size_t>(space, 1);
    if (space > 0) begin = i;
  }
  if (begin < line.size()) visit(line.substr(begin));
}

}  // namespace

std::vector<std::string> split_sentence(std::string_view line) {
  constexpr std::string_view kPunctuation = ".,!?\"':;()";
  std::vector<std::string> words;
  for_each_word(line, [&](std::string_view word) {
    while (!word.empty()) {
      const size_t mark = word.find_first_of(kPunctuation);
      const size_t size = mark == 0 ? 1 : std::min(mark, word.size());
      words.emplace_back(word.substr(0, size));
      word.remove_prefix(size);
    }
  });
  return words;
}

std::string join(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

std::string hide_digits(std::string_view line) {
  std::string result(line);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c >= '0' && c <= '9'; },
      '0');
  return result;
}

std::string to_lower(std::string_view line) {
  std::string result(line);
  uint8_t previous = 0;
  for (char& c : result) {
    const auto byte = static_cast<uint8_t>(c);
    // U+00C0 to U+00DE, but not the multiplication sign, are 0xc3 0x80, ...
    const bool is_upper =
        previous == 0xc3 ? byte <= 0x9e && byte != 0x97 : c >= 'A' && c <= 'Z';
    if (is_upper) c = static_cast<char>(byte + 0x20);
    previous = byte;
  }
  return result;
}

void for_each_line(const std::string& file,
                   const std::function<void(const std::string&)>& visit) {
  array::LineReader reader(file, "loading");
  const std::string name = std::filesystem::path(file).filename().string();
  std::string line;
  while (reader.next(line)) {
    visit(line);
    if (reader.number() % kLinesBetweenReports == 0) {
      std::cerr << name << ": " << reader.number() << " lines ..." << std::endl;
    }
  }
  std::cerr << name << ": " << reader.number() << " lines" << std::endl;
}

void write_lines(const std::string& file,
                 const std::vector<std::string>& lines) {
  std::ofstream out(file);
  for (const std::string& line : lines) out << line << '\n';
  out.close();
  if (!out) raise<IoError>("cannot write ", file);
}

Vocabulary load_vocabulary(const std::string& file) {
  Vocabulary vocabulary{{"<UNK>", kUnknown}, {"<EOS>", kEnd}};
  for_each_line(file, [&](const std::string& line) {
    for_each_word(line, [&](std::string_view word) {
      const auto next = static_cast<int32_t>(vocabulary.size());
      vocabulary.try_emplace(std::string(word), next);
    });
  });
  return vocabulary;
}

std::vector<std::string> words_of(const Vocabulary& vocabulary) {
  std::vector<std::string> words(vocabulary.size());
  for (const auto& [word, id] : vocabulary) words[id] = word;
  return words;
}

Sentence to_ids(std::string_view words, const Vocabulary& vocabulary) {
  Sentence ids;
  for_each_word(words, [&](std::string_view word) {
    const auto found = vocabulary.find(word);
    ids.push_back(found == vocabulary.end() ? kUnknown : found->second);
  });
  return ids;
}

std::string to_text(const Sentence& sentence,
                    const std::vector<std::string>& words) {
  std::vector<std::string> text;
  for (const int32_t id : sentence) text.push_back(words.at(id));
  return join(text);
}

}  // namespace catena::examples
