#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/datasets/words.h"

// Text files with a sentence per line, for seq2seq and wmt_preprocess.
namespace catena::examples {

using datasets::Vocabulary;
// The ids of its words.
using Sentence = std::vector<int32_t>;

inline constexpr int32_t kUnknown = 0;  // <UNK>
inline constexpr int32_t kEnd = 1;      // <EOS>

// The words of a line, which are separated by white space, Unicode's too; each
// of . , ! ? " ' : ; ( ) is a word of its own.
std::vector<std::string> split_sentence(std::string_view line);
// The words with a space between them.
std::string join(const std::vector<std::string>& words);
// Replaces every digit by 0, so that years and prices become few words.
std::string hide_digits(std::string_view line);
// In lower case: ASCII and the letters of Western Europe (Latin-1), in UTF-8.
std::string to_lower(std::string_view line);

// Calls `visit` with each line of a file, plain or gzipped, and shows on
// standard error how many there were. Throws IoError when it cannot be read.
void for_each_line(const std::string& file,
                   const std::function<void(const std::string&)>& visit);

// Throws IoError when the file cannot be written.
void write_lines(const std::string& file,
                 const std::vector<std::string>& lines);

// Reads a vocabulary, a word per line: their ids are 2, 3, ..., after <UNK> and
// <EOS>.
Vocabulary load_vocabulary(const std::string& file);
// The words by id.
std::vector<std::string> words_of(const Vocabulary& vocabulary);

// Words, separated by white space, to ids and back.
Sentence to_ids(std::string_view words, const Vocabulary& vocabulary);
std::string to_text(const Sentence& sentence,
                    const std::vector<std::string>& words);

}  // namespace catena::examples
