#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Examples of classes in a user's files.
namespace catena::examples {

// Texts, or paths of images, each with the number of its class.
struct LabelledFiles {
  std::vector<std::string> classes;  // distinct and sorted
  std::vector<std::pair<std::string, int64_t>> examples;
};

// A file with a label and a text in each line: with a comma between them, and
// perhaps quotes, if its name ends in .csv or .csv.gz, and otherwise with a
// tab. Throws IoError, naming file and line, for anything else, and when there
// are fewer than two classes.
LabelledFiles read_labelled_texts(const std::string& path);

// The PNG and JPEG files in the folders of a folder: a folder's name is the
// class. Throws IoError when there are fewer than two such folders, or one has
// no images.
LabelledFiles find_labelled_images(const std::string& folder);

// Sorts out the classes of texts with their labels.
LabelledFiles with_classes(
    const std::vector<std::pair<std::string, std::string>>& labels_and_texts);

}  // namespace catena::examples
