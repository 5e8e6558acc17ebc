#include "catena/links/model/weight_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/byte_source.h"
#include "catena/serializers/json_text.h"

namespace catena::links {
namespace {

using array::quote;
using nlohmann::ordered_json;
using serializers::SafetensorsDeserializer;

constexpr std::string_view kFile = "/model.safetensors";
constexpr std::string_view kIndex = "/model.safetensors.index.json";
constexpr std::string_view kEnding = ".safetensors";

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Whether it names a file of the folder itself.
bool is_plain_name(const std::string& name) {
  return name.size() > kEnding.size() && name.ends_with(kEnding) &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

// "-00001-of-00003".
std::string part_of(size_t number, size_t count) {
  const auto digits = [](size_t n) {
    const std::string text = std::to_string(n);
    return std::string(text.size() < 5 ? 5 - text.size() : 0, '0') + text;
  };
  return "-" + digits(number) + "-of-" + digits(count);
}

void write_file(const std::string& path,
                std::span<const std::pair<std::string, Array>> arrays) {
  serializers::SafetensorsSerializer file(path);
  file.set_metadata("format", "pt");
  for (const auto& [name, array] : arrays) file.write(name, array);
  file.commit();
}

// Where a new shard begins, and the end.
std::vector<size_t> shards_of(
    const std::vector<std::pair<std::string, Array>>& arrays,
    int64_t shard_bytes) {
  std::vector<size_t> begins = {0};
  int64_t bytes = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const int64_t size = arrays[i].second.nbytes();
    if (i > begins.back() && bytes + size > shard_bytes) {
      begins.push_back(i);
      bytes = 0;
    }
    bytes += size;
  }
  begins.push_back(arrays.size());
  return begins;
}

void refuse_other(const std::string& folder, std::string_view other) {
  const std::string path = folder + std::string(other);
  if (!exists(path)) return;
  raise<IoError>("save_pretrained: expected a folder without ",
                 array::quote_path(path),
                 ", which would be taken for the new weights");
}

}  // namespace

WeightFiles::WeightFiles(const std::string& folder, const LoadLimits& limits)
    : where_(str("load_pretrained: ", array::quote_path(folder))) {
  const std::string file = folder + std::string(kFile);
  const std::string index = folder + std::string(kIndex);
  if (exists(file) || !exists(index)) {
    open(file, limits);
  } else {
    open_shards(folder, index, limits);
  }
}

void WeightFiles::open(const std::string& path, const LoadLimits& limits) {
  files_.emplace_back(path, serializers::LoadOptions{.limits = limits});
  for (const std::string& name : files_.back().keys()) {
    if (!names_.emplace(name, files_.size() - 1).second) {
      raise<IoError>(where_, ": expected each array in one file, got ",
                     quote(name), " in two");
    }
  }
}

std::map<std::string, std::string> WeightFiles::read_index(
    const std::string& path, const LoadLimits& limits) const {
  const array::ByteSource source =
      array::ByteSource::open(path, "load_pretrained", limits);
  // As much as the header of a file.
  constexpr int64_t kMaxBytes = 100'000'000;
  if (source.size() > kMaxBytes) {
    raise<IoError>(source.where(), ": expected at most ", kMaxBytes,
                   " bytes, got ", source.size());
  }
  std::string text(static_cast<size_t>(source.size()), '\0');
  source.read(0, text);
  constexpr int kMaxDepth = 4;
  serializers::JsonFaults faults;
  ordered_json index;
  if (text.find('\0') == std::string::npos) {
    index = serializers::parse_json(text, kMaxDepth, faults);
  }
  if (faults.has_doubles) {
    raise<IoError>(source.where(), ": expected unique names, got a duplicate");
  }
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (!index.is_object() || map == index.end() || !map->is_object()) {
    raise<IoError>(source.where(),
                   ": expected a JSON object with the object weight_map");
  }
  if (std::ssize(*map) > limits.members) {
    raise<IoError>(source.where(), ": expected at most ", limits.members,
                   " names, got ", map->size());
  }
  std::map<std::string, std::string> files;
  for (const auto& [name, file] : map->items()) {
    if (!file.is_string() || !is_plain_name(file.get<std::string>())) {
      raise<IoError>(source.where(), ": ", quote(name),
                     ": expected the name of a .safetensors file in the same "
                     "folder, got ",
                     quote(file.dump()));
    }
    files.emplace(name, file.get<std::string>());
  }
  return files;
}

void WeightFiles::open_shards(const std::string& folder,
                              const std::string& path,
                              const LoadLimits& limits) {
  const std::map<std::string, std::string> index = read_index(path, limits);
  std::set<std::string> shards;
  for (const auto& [name, shard] : index) shards.insert(shard);
  std::vector<std::string> opened(shards.begin(), shards.end());
  for (const std::string& shard : opened) open(folder + "/" + shard, limits);
  for (const auto& [name, shard] : index) {
    const auto it = names_.find(name);
    if (it == names_.end() || opened[it->second] != shard) {
      raise<IoError>(
          where_, ": expected ", quote(name), " in ", quote(shard),
          ", as the index says, got it ",
          it == names_.end() ? "nowhere" : "in " + quote(opened[it->second]));
    }
  }
  for (const auto& [name, number] : names_) {
    if (!index.contains(name)) {
      raise<IoError>(where_,
                     ": expected only arrays that the index names, got ",
                     quote(name), " in ", quote(opened[number]));
    }
  }
}

SafetensorsDeserializer::ArrayKind WeightFiles::kind(
    const std::string& name) const {
  return files_[names_.at(name)].kind(name);
}

Array WeightFiles::map(const std::string& name) const {
  return files_[names_.at(name)].map(name);
}

void write_weight_files(
    const std::string& folder,
    const std::vector<std::pair<std::string, Array>>& arrays,
    int64_t shard_bytes) {
  const std::vector<size_t> begins = shards_of(arrays, shard_bytes);
  const size_t count = begins.size() - 1;
  refuse_other(folder, count == 1 ? kIndex : kFile);
  const auto part = [&](size_t i) {
    return std::span(arrays).subspan(begins[i], begins[i + 1] - begins[i]);
  };
  if (count == 1) return write_file(folder + std::string(kFile), part(0));
  int64_t bytes = 0;
  ordered_json map = ordered_json::object();
  for (size_t i = 0; i < count; ++i) {
    const std::string name = "model" + part_of(i + 1, count) + ".safetensors";
    write_file(folder + "/" + name, part(i));
    for (const auto& [key, array] : part(i)) {
      map[key] = name;
      bytes += array.nbytes();
    }
  }
  const ordered_json index = {{"metadata", {{"total_size", bytes}}},
                              {"weight_map", map}};
  write_text_file(folder + std::string(kIndex), index.dump(2) + "\n");
}

void write_text_file(const std::string& path, const std::string& text) {
  array::AtomicFile file(path, "save_pretrained");
  file.write(text);
  file.commit();
}

}  // namespace catena::links
