#include "catena/examples/image_captioning/captions.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "catena/array/core/error.h"

namespace catena::examples {

Vocabulary::Vocabulary(const std::vector<std::string>& sentences,
                       int64_t least_count) {
  std::map<std::string, int64_t> counts;
  for (const std::string& sentence : sentences) {
    for (const std::string& word : split_words(sentence)) ++counts[word];
  }
  std::vector<std::string> words = {"<end>", "<unknown>"};
  for (const auto& [word, count] : counts) {
    if (count >= least_count) words.push_back(word);
  }
  *this = Vocabulary(std::move(words));
}

Vocabulary::Vocabulary(std::vector<std::string> words)
    : words_(std::move(words)) {
  for (const std::string& word : words_) {
    ids_.emplace(word, static_cast<int32_t>(ids_.size()));
  }
}

WordIds Vocabulary::encode(std::string_view sentence) const {
  WordIds ids;
  for (const std::string& word : split_words(sentence)) {
    const auto known = ids_.find(word);
    ids.push_back(known == ids_.end() ? kUnknown : known->second);
  }
  return ids;
}

std::string Vocabulary::decode(const WordIds& ids) const {
  std::string sentence;
  for (const int32_t id : ids) {
    if (!sentence.empty()) sentence += ' ';
    sentence += words_.at(static_cast<size_t>(id));
  }
  return sentence;
}

std::vector<std::string> split_words(std::string_view sentence) {
  std::vector<std::string> words(1);
  for (const char c : sentence) {
    const auto byte = static_cast<unsigned char>(c);
    // Bytes above 127 are parts of letters in UTF-8.
    if (std::isalnum(byte) || c == '\'' || byte > 127) {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<CaptionedImage> read_mscoco(const std::string& root,
                                        const std::string& part) {
  const std::filesystem::path folder = root;
  const std::string file =
      (folder / "annotations" / ("captions_" + part + "2014.json")).string();
  std::ifstream in(file);
  if (!in) {
    raise<IoError>("cannot read '", file,
                   "'; MSCOCO's images and annotations of 2014 are at "
                   "https://cocodataset.org/#download: unpack train2014.zip, "
                   "val2014.zip and annotations_trainval2014.zip in '",
                   root, "'");
  }
  std::vector<CaptionedImage> images;
  std::unordered_map<int64_t, size_t> positions;
  try {
    const auto json = nlohmann::json::parse(in);
    for (const auto& image : json.at("images")) {
      positions.emplace(image.at("id").get<int64_t>(), images.size());
      const auto name = image.at("file_name").get<std::string>();
      images.push_back(
          {.path = (folder / (part + "2014") / name).string(), .captions = {}});
    }
    for (const auto& annotation : json.at("annotations")) {
      const size_t at = positions.at(annotation.at("image_id").get<int64_t>());
      images[at].captions.push_back(
          annotation.at("caption").get<std::string>());
    }
  } catch (const std::exception& error) {
    raise<IoError>("'", file,
                   "' is no file of MSCOCO's captions: ", error.what());
  }
  return images;
}

}  // namespace catena::examples
