#include "catena/examples/gpt/labelled_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/line_reader.h"
#include "catena/array/io/text_table.h"

namespace catena::examples {
namespace {

namespace fs = std::filesystem;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs read_csv(const std::string& path) {
  const array::TextTable table =
      array::read_table(path, {.header = false, .numbers = false});
  const auto& columns = table.columns();
  if (columns.size() != 2) {
    raise<IoError>(array::quote_path(path),
                   ": expected 2 columns, label and text, got ",
                   columns.size());
  }
  Pairs pairs;
  for (size_t row = 0; row < columns[0].text.size(); ++row) {
    pairs.emplace_back(columns[0].text[row], columns[1].text[row]);
  }
  return pairs;
}

Pairs read_lines(const std::string& path) {
  array::LineReader lines(path, "read_labelled_texts",
                          {.header_bytes = 1 << 24});
  Pairs pairs;
  for (std::string line; lines.next(line);) {
    if (line.empty()) continue;
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || tab == 0) {
      raise<IoError>(lines.where(), ", line ", lines.number(),
                     ": expected a label, a tab and a text, got ",
                     array::quote(line));
    }
    pairs.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return pairs;
}

bool is_image(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

// The entries of a folder in a fixed order.
std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    paths.push_back(it->path());
  }
  if (error) {
    raise<IoError>(array::quote_path(folder.string()),
                   ": expected a folder, got ", error.message());
  }
  std::ranges::sort(paths);
  return paths;
}

void check_classes(const LabelledFiles& files, const std::string& path,
                   std::string_view what) {
  if (files.classes.size() >= 2) return;
  raise<IoError>(array::quote_path(path), ": expected at least 2 ", what,
                 ", got ", files.classes.size());
}

}  // namespace

LabelledFiles with_classes(const Pairs& labels_and_texts) {
  LabelledFiles result;
  std::map<std::string, int64_t> numbers;
  for (const auto& [label, text] : labels_and_texts) numbers[label] = 0;
  for (auto& [label, number] : numbers) {
    number = std::ssize(result.classes);
    result.classes.push_back(label);
  }
  for (const auto& [label, text] : labels_and_texts) {
    result.examples.emplace_back(text, numbers.at(label));
  }
  return result;
}

LabelledFiles read_labelled_texts(const std::string& path) {
  const bool has_commas = path.ends_with(".csv") || path.ends_with(".csv.gz");
  LabelledFiles result =
      with_classes(has_commas ? read_csv(path) : read_lines(path));
  check_classes(result, path, "labels");
  return result;
}

LabelledFiles find_labelled_images(const std::string& folder) {
  Pairs pairs;
  for (const fs::path& entry : sorted_entries(folder)) {
    if (!fs::is_directory(entry)) continue;
    const size_t before = pairs.size();
    for (const fs::path& file : sorted_entries(entry)) {
      if (is_image(file)) {
        pairs.emplace_back(entry.filename().string(), file.string());
      }
    }
    if (pairs.size() == before) {
      raise<IoError>(array::quote_path(entry.string()),
                     ": expected PNG or JPEG files, got none");
    }
  }
  LabelledFiles result = with_classes(pairs);
  check_classes(result, folder, "folders of images, one for each class");
  return result;
}

}  // namespace catena::examples
