#include "catena/training/extensions/snapshot.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "catena/array/error.h"
#include "catena/array/io/npz.h"
#include "catena/training/name_template.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr std::string_view kIteration = "{.updater.iteration}";

// The number that stands for the iteration in a file's name; nothing for other
// names.
std::optional<int64_t> iteration_of(std::string_view file,
                                    std::string_view filename) {
  const size_t field = filename.find(kIteration);
  if (field == std::string_view::npos) return std::nullopt;
  const std::string_view before = filename.substr(0, field);
  const std::string_view after = filename.substr(field + kIteration.size());
  if (file.size() <= before.size() + after.size() ||
      !file.starts_with(before) || !file.ends_with(after)) {
    return std::nullopt;
  }
  file.remove_prefix(before.size());
  file.remove_suffix(after.size());
  int64_t iteration = 0;
  const char* end = file.data() + file.size();
  const auto [stop, error] = std::from_chars(file.data(), end, iteration);
  if (error != std::errc() || stop != end) return std::nullopt;
  return iteration;
}

void check_intact(const std::string& file) {
  const array::NpzReader reader(file);
  for (const std::string& key : reader.keys()) reader.read(key);
}

}  // namespace

SaveFunction save_npz() {
  return [](const std::string& file,
            const std::function<void(const Serializer&)>& serialize) {
    serializers::save_npz(file, serialize);
  };
}

Snapshot::Snapshot(Serialize target, std::string filename, SaveFunction savefun)
    : target_(std::move(target)),
      filename_(std::move(filename)),
      savefun_(std::move(savefun)) {
  check_name(filename_, "snapshot");
  if (!savefun_) raise<ValueError>("snapshot: expected a savefun, got none");
}

void Snapshot::operator()(Trainer& trainer) {
  const std::string file =
      trainer.out_path(fill_name(filename_, trainer, "snapshot"));
  savefun_(
      file, target_ ? target_ : [&trainer](const Serializer& serializer) {
        trainer.serialize(serializer);
      });
}

Snapshot snapshot(const SnapshotOptions& options) {
  return Snapshot(nullptr, options.filename, options.savefun);
}

std::string latest_snapshot(const std::string& folder,
                            const std::string& filename) {
  std::vector<std::pair<int64_t, std::string>> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (const auto iteration = iteration_of(name, filename)) {
      files.emplace_back(*iteration, entry.path().string());
    }
  }
  if (error) {
    raise<IoError>("latest_snapshot: cannot read the folder '", folder,
                   "': ", error.message());
  }
  std::ranges::sort(files, std::ranges::greater());
  std::string damaged;
  for (const auto& [iteration, file] : files) {
    try {
      check_intact(file);
      return file;
    } catch (const Error& failure) {
      damaged += str("; ", failure.what());
    }
  }
  raise<IoError>("latest_snapshot: expected a file '", filename, "' in '",
                 folder, "', found none that is intact", damaged);
}

}  // namespace catena::training::extensions
