#include "catena/examples/pos/tagged_sentences.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/line_reader.h"

namespace catena::examples {
namespace {

constexpr std::string_view kUrl =
    "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/"
    "corpora/brown.zip";
constexpr std::string_view kBlanks = " \t\r\v\f";

// Whether a file of the Brown corpus has this name: ca01 to cr09.
bool is_brown(std::string_view name) {
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  return name.size() == 4 && name[0] == 'c' && 'a' <= name[1] &&
         name[1] <= 'r' && is_digit(name[2]) && is_digit(name[3]);
}

std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (is_brown(entry.path().filename().string())) {
      files.push_back(entry.path().string());
    }
  }
  if (files.empty()) {
    raise<IoError>(
        "--data: expected files ca01 to cr09 of the Brown corpus in ",
        array::quote_path(path), ", found none; they are in ", kUrl);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TaggedSentence parse_tagged_sentence(std::string_view line) {
  TaggedSentence sentence;
  for (size_t end = 0;;) {
    const size_t begin = line.find_first_not_of(kBlanks, end);
    if (begin == std::string_view::npos) return sentence;
    end = std::min(line.find_first_of(kBlanks, begin), line.size());
    const std::string_view token = line.substr(begin, end - begin);
    const size_t slash = token.rfind('/');
    if (slash == std::string_view::npos || slash == 0 ||
        slash + 1 == token.size()) {
      raise<ValueError>("column ", begin + 1, ": expected word/tag, got ",
                        array::quote(token));
    }
    sentence.words.emplace_back(token.substr(0, slash));
    sentence.tags.emplace_back(token.substr(slash + 1));
  }
}

std::vector<TaggedSentence> read_tagged_sentences(const std::string& path) {
  if (std::error_code error; !std::filesystem::exists(path, error)) {
    raise<IoError>(
        "--data: expected a file of lines word/tag word/tag, or the "
        "folder of the Brown corpus, found no ",
        array::quote_path(path), "; the corpus is in ", kUrl);
  }
  std::vector<TaggedSentence> sentences;
  for (const std::string& file : files_of(path)) {
    array::LineReader lines(file, "read_tagged_sentences");
    for (std::string line; lines.next(line);) {
      try {
        TaggedSentence sentence = parse_tagged_sentence(line);
        if (!sentence.words.empty()) sentences.push_back(std::move(sentence));
      } catch (const ValueError& error) {
        raise<IoError>(lines.where(), ": line ", lines.number(), ", ",
                       error.what());
      }
    }
  }
  if (sentences.empty()) {
    raise<IoError>("--data: expected tagged sentences in ",
                   array::quote_path(path), ", found none");
  }
  return sentences;
}

}  // namespace catena::examples
