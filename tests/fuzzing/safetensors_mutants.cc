// .safetensors files.

#include <array>
#include <utility>
#include <variant>

#include "catena/array/core/error.h"
#include "catena/serializers/safetensors.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/fuzzing/mutant_format.h"
#include "catena/tests/support/memory_file.h"

namespace catena::testing {
namespace {

using serializers::SafetensorsDeserializer;

struct Item {
  std::string_view name;
  size_t bytes;
};
constexpr std::array<Item, 13> kItems = {{
    {"BOOL", 1},
    {"U8", 1},
    {"I8", 1},
    {"I16", 2},
    {"U16", 2},
    {"F16", 2},
    {"BF16", 2},
    {"I32", 4},
    {"U32", 4},
    {"F32", 4},
    {"F64", 8},
    {"I64", 8},
    {"U64", 8},
}};

// A file of up to four arrays, and metadata as catena and others have it. The
// data is what `file` ends with, again and again.
std::string arranged_safetensors(Mutator& mutator, const std::string& file) {
  if (mutator.one_in(3)) return file;
  constexpr std::array<std::string_view, 6> kNames = {
      "W", "l1/W", "model.layers.0.weight", "h\xc3\xa9llo", "a\\u0041\\n", ""};
  const bool is_tidy = mutator.one_in(2);
  const auto gap = [&] {
    std::string text;
    while (!is_tidy && mutator.one_in(3)) {
      text += mutator.one_of(std::string(" \t\r\n"));
    }
    return text;
  };
  std::vector<std::string> fields;
  if (mutator.one_in(3)) {
    fields.push_back(
        R"("__metadata__":{"format":"pt","text:note":"some text","none:x":""})");
  }
  const size_t first = mutator.below(kNames.size());
  const size_t count = mutator.below(5);
  size_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    const Item item = mutator.one_of(kItems);
    size_t bytes = item.bytes;
    std::string shape;
    for (size_t axis = mutator.below(4); axis > 0; --axis) {
      const size_t extent = mutator.below(5);
      bytes *= extent;
      shape += str(shape.empty() ? "" : ",", gap(), extent);
    }
    std::array<std::string, 3> parts = {
        str("\"dtype\":", gap(), "\"", item.name, "\""),
        str("\"shape\":[", shape, gap(), "]"),
        str("\"data_offsets\":[", offset, ",", gap(), offset + bytes, "]")};
    std::swap(parts[mutator.below(3)], parts[mutator.below(3)]);
    fields.push_back(str("\"", kNames[(first + i) % kNames.size()],
                         "\":", gap(), "{", parts[0], gap(), ",", parts[1], ",",
                         parts[2], "}"));
    offset += bytes;
  }
  if (!fields.empty()) {
    std::swap(fields.front(), fields[mutator.below(fields.size())]);
  }
  std::string header = "{";
  for (const std::string& field : fields) {
    header += str(header == "{" ? "" : ",", gap(), field);
  }
  header += "}" + gap();
  std::string made;
  for (size_t i = 0; i < 8; ++i) {
    made += static_cast<char>(header.size() >> 8 * i);
  }
  made += header;
  for (size_t i = 0; i < offset; ++i) {
    made += file.empty() ? 'x' : file[file.size() - 1 - i % file.size()];
  }
  return made;
}

// Texts, whose names stand in the header as "text:NAME".
std::vector<std::string> text_names(const std::string& file) {
  constexpr std::string_view kText = "\"text:";
  std::vector<std::string> names;
  for (size_t at = file.find(kText); at != std::string::npos;
       at = file.find(kText, at + 1)) {
    const size_t begin = at + kText.size();
    names.push_back(file.substr(begin, file.find('"', begin) - begin));
  }
  return names;
}

Reading read_safetensors_mutant(const std::string& file) try {
  static const MemoryFile& memory = *new MemoryFile;
  const std::string path =
      memory.with(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  SafetensorsDeserializer reader(path, {.limits = kMutantLimits});
  std::vector<ReadEntry> entries;
  for (const std::string& key : reader.keys()) {
    entries.push_back(entry_of(key, std::get<Array>(*reader.read(key))));
  }
  for (const std::string& key : text_names(file)) {
    const SerializedValue* const value = reader.read(key);
    if (value == nullptr || !std::holds_alternative<std::string>(*value)) {
      continue;
    }
    entries.push_back(entry_of(key, std::get<std::string>(*value)));
  }
  return entries;
} catch (const IoError&) {
  return std::nullopt;
}

}  // namespace

MutantFormat safetensors_mutants() {
  return {
      .name = "safetensors",
      .seeds =
          [] {
            return seed_files({"serializers/fuzz_corpus/safetensors",
                               "serializers/fuzz_corpus/safetensors.zip"},
                              "", 4096);
          },
      .words = {"\"dtype\":",
                "\"shape\":",
                "\"data_offsets\":",
                "\"__metadata__\":",
                "\"F32\"",
                "\"I64\"",
                "\"BF16\"",
                "\"U8\"",
                "[",
                "]",
                "{",
                "}",
                "[]",
                "{}",
                ",",
                ":",
                "\"",
                "\\",
                "\\u0041",
                "\\ud83d\\ude00",
                "1.0",
                "1e0",
                "-0",
                "null",
                "true",
                "text:",
                "none:",
                "crc32:",
                " ",
                "\n",
                "\xef\xbb\xbf",
                "\xc3\xa9"},
      .arranged = arranged_safetensors,
      .mend_of = [](const std::string&) -> Mend { return mend_safetensors; },
      .read = read_safetensors_mutant};
}

}  // namespace catena::testing
