#include "catena/serializers/testing/hdf5_words.h"

#include <cctype>

namespace catena::serializers {

std::set<std::string> words_of(std::string_view file, size_t most) {
  constexpr size_t kMaxLength = 24;
  std::set<std::string> words;
  std::string word;
  const auto add = [&] {
    if (!word.empty() && word.size() <= kMaxLength) words.insert(word);
    word.clear();
  };
  for (const char c : file) {
    if (words.size() == most) break;
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else {
      add();
    }
  }
  if (words.size() < most) add();
  return words;
}

}  // namespace catena::serializers
