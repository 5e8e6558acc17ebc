#include "catena/training/extensions/snapshot.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/io/folder_names.h"
#include "catena/array/io/npz.h"
#include "catena/training/extensions/stop_on_interrupt.h"
#include "catena/training/name_template.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

// The parts of a file name before and after its number.
struct NumberedName {
  std::string_view before;
  std::string_view after;
};

// nullopt for names without such a number.
std::optional<NumberedName> numbered_name(std::string_view filename) {
  for (const std::string_view field :
       {"{.updater.iteration", "{.updater.epoch"}) {
    const size_t begin = filename.find(field);
    if (begin == std::string_view::npos) continue;
    const std::string_view rest = filename.substr(begin + field.size());
    // May be followed by a format spec, but not by a longer field name.
    if (!rest.starts_with('}') && !rest.starts_with(':')) continue;
    return NumberedName{filename.substr(0, begin),
                        rest.substr(rest.find('}') + 1)};
  }
  return std::nullopt;
}

// The number in a file name; nullopt for other names.
std::optional<int64_t> number_of(std::string_view file,
                                 const NumberedName& name) {
  if (file.size() <= name.before.size() + name.after.size() ||
      !file.starts_with(name.before) || !file.ends_with(name.after)) {
    return std::nullopt;
  }
  file.remove_prefix(name.before.size());
  file.remove_suffix(name.after.size());
  int64_t number = 0;
  const char* end = file.data() + file.size();
  const auto [stop, error] = std::from_chars(file.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The files of that form in a folder, or in the subfolder that the name starts
// with, by descending number.
std::vector<std::pair<int64_t, std::string>> find_snapshots(
    const std::string& folder, const std::string& filename,
    std::string_view operation) {
  const std::filesystem::path path = std::filesystem::path(folder) / filename;
  const std::string last = path.filename().string();
  std::vector<std::pair<int64_t, std::string>> files;
  const std::optional<NumberedName> name = numbered_name(last);
  if (!name) return files;
  const auto entries = array::folder_names(path.parent_path().string());
  if (!entries) {
    raise<IoError>(operation, ": cannot read the folder '",
                   path.parent_path().string(), "': ", std::strerror(errno));
  }
  for (const std::string& file : *entries) {
    if (const auto number = number_of(file, *name)) {
      files.emplace_back(*number, (path.parent_path() / file).string());
    }
  }
  std::ranges::sort(files, std::ranges::greater());
  return files;
}

void check_intact(const std::string& file) {
  const array::NpzReader reader(file);
  for (const std::string& key : reader.keys()) reader.read(key);
}

bool is_intact(const std::string& file) {
  try {
    check_intact(file);
    return true;
  } catch (const IoError&) {
    return false;
  }
}

bool is_interruption(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Interrupted&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

SaveFunction save_npz(const serializers::SaveNpzOptions& options) {
  return [options](const std::string& file,
                   const std::function<void(const Serializer&)>& serialize) {
    serializers::save_npz(file, serialize, options);
  };
}

LoadFunction load_npz() {
  return [](const std::string& file,
            const std::function<void(const Serializer&)>& serialize) {
    serializers::load_npz(file, serialize);
  };
}

Snapshot::Snapshot(Serialize target, const SnapshotOptions& options)
    : target_(std::move(target)), options_(options) {
  check_name(options_.filename, "snapshot");
  if (!options_.savefun) {
    raise<ValueError>("snapshot: expected a savefun, got none");
  }
  if (options_.autoload && !options_.loadfun) {
    raise<ValueError>("snapshot: expected a loadfun for autoload, got none");
  }
  if (options_.n_retains != -1 && options_.n_retains < 1) {
    raise<ValueError>("snapshot: expected n_retains >= 1, or -1 for all, got ",
                      options_.n_retains);
  }
  if ((options_.autoload || options_.n_retains != -1) &&
      !numbered_name(options_.filename)) {
    raise<ValueError>(
        "snapshot: autoload and n_retains expect a filename with "
        "{.updater.iteration} or {.updater.epoch}, got '",
        options_.filename, "'");
  }
}

Snapshot::Serialize Snapshot::target_of(Trainer& trainer) const {
  if (target_) return target_;
  return [&trainer](const Serializer& serializer) {
    trainer.serialize(serializer);
  };
}

void Snapshot::operator()(Trainer& trainer) {
  if (!options_.condition || options_.condition()) {
    save(trainer, path_of(trainer));
  }
}

std::string Snapshot::path_of(Trainer& trainer) const {
  return trainer.out_path(fill_name(options_.filename, trainer, "snapshot"));
}

void Snapshot::save(Trainer& trainer, const std::string& file) try {
  options_.savefun(file, target_of(trainer));
  saved_at_ = trainer.updater().iteration();
  if (options_.n_retains != -1) remove_old(trainer.out(), file);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("snapshot");
}

// Files with higher numbers belong to another run and are kept.
void Snapshot::remove_old(const std::string& folder,
                          const std::string& newest) const {
  int64_t seen = -1;
  for (const auto& [number, file] :
       find_snapshots(folder, options_.filename, "snapshot")) {
    if (seen >= 0 || file == newest) ++seen;
    if (seen < options_.n_retains) continue;
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) {
      raise<IoError>("snapshot: cannot remove '", file, "': ", error.message());
    }
  }
}

void Snapshot::load(Trainer& trainer) try {
  if (!options_.autoload) return;
  const auto files =
      find_snapshots(trainer.out(), options_.filename, "snapshot");
  std::string damaged;
  for (const auto& [number, file] : files) {
    try {
      return options_.loadfun(file, target_of(trainer));
    } catch (const IoError& failure) {
      if (is_intact(file)) throw;
      damaged += str("; ", failure.what());
    }
  }
  if (files.empty()) return;
  raise<IoError>("snapshot: expected a file to resume from in '", trainer.out(),
                 "', found no intact file", damaged);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("snapshot");
}

void Snapshot::on_error(Trainer& trainer, std::exception_ptr error) {
  if (!target_ && is_interruption(error)) {
    // Between two iterations: as complete as any snapshot.
    if (saved_at_ != trainer.updater().iteration()) (*this)(trainer);
    return;
  }
  if (!options_.snapshot_on_error) return;
  const std::string file = path_of(trainer);
  if (std::filesystem::exists(file)) {
    options_.savefun(file + "_on_error", target_of(trainer));
  } else {
    save(trainer, file);
  }
}

Snapshot snapshot(const SnapshotOptions& options) {
  return Snapshot(nullptr, options);
}

std::string latest_snapshot(const std::string& folder,
                            const std::string& filename) try {
  std::string damaged;
  for (const auto& [number, file] :
       find_snapshots(folder, filename, "latest_snapshot")) {
    try {
      check_intact(file);
      return file;
    } catch (const IoError& failure) {
      damaged += str("; ", failure.what());
    }
  }
  raise<IoError>("latest_snapshot: expected a file '", filename, "' in '",
                 folder, "', found no intact file", damaged);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("latest_snapshot");
}

}  // namespace catena::training::extensions
