#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Sentences about images, as text and as numbers.
namespace catena::examples {

// A sentence as ids of its words, without the end.
using WordIds = std::vector<int32_t>;

// The words that a model knows, and their ids.
class Vocabulary {
 public:
  static constexpr int32_t kEnd = 0;      // of a sentence
  static constexpr int32_t kUnknown = 1;  // any other word

  // All words that occur at least that often, in alphabetic order.
  Vocabulary(const std::vector<std::string>& sentences, int64_t least_count);
  // The words of another vocabulary, from its words().
  explicit Vocabulary(std::vector<std::string> words);

  // With those for the end and for unknown words.
  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  const std::vector<std::string>& words() const { return words_; }

  WordIds encode(std::string_view sentence) const;
  std::string decode(const WordIds& ids) const;

 private:
  std::vector<std::string> words_;
  std::map<std::string, int32_t, std::less<>> ids_;
};

// The words of a sentence in lower case, without punctuation.
std::vector<std::string> split_words(std::string_view sentence);

struct CaptionedImage {
  std::string path;
  std::vector<std::string> captions;
};

// Reads MSCOCO's captions of 2014: annotations/captions_<part>2014.json below
// `root`, for images in <part>2014 there; `part` is "train" or "val". Throws
// IoError when the file does not exist or is no such file.
std::vector<CaptionedImage> read_mscoco(const std::string& root,
                                        const std::string& part);

}  // namespace catena::examples
