#include "catena/tests/faults/file_system_model.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

constexpr size_t kSector = 512;
// More changes of names are an error, since every subset is tried.
constexpr size_t kMaxNames = 8;
constexpr size_t kMaxTears = 4;
// Every subset of this many writes to a file without fsync is tried. With more
// writes, each one alone and all but each one.
constexpr size_t kMaxWrites = 8;

void put(std::string& content, size_t offset, std::string_view bytes) {
  content.resize(std::max(content.size(), offset + bytes.size()), '\0');
  content.replace(offset, bytes.size(), bytes);
}

}  // namespace

// What is certain, and what is possible, after the first events.
class FileSystemModel::Moment {
 public:
  explicit Moment(std::span<const Event> events) {
    for (const Event& event : events) {
      switch (event.kind) {
        case Kind::kWrite:
          inodes_[event.inode].later.push_back(&event);
          break;
        case Kind::kSync: {
          Inode& inode = inodes_[event.inode];
          for (const Event* write : inode.later) {
            put(inode.content, write->offset, write->bytes);
          }
          inode.later.clear();
          break;
        }
        case Kind::kNames:
          later_.push_back(&event);
          break;
        case Kind::kSyncNames:
          for (const Event* change : later_) apply(names_, *change);
          later_.clear();
          break;
        case Kind::kPromise:
          ++promises_;
          break;
      }
    }
  }

  int promises() const { return promises_; }

  // Calls visit(files) for each possible state.
  template <class Visit>
  void for_each(Visit visit) const {
    if (later_.size() > kMaxNames) {
      raise<ValueError>("FileSystemModel: expected at most ", kMaxNames,
                        " changes of names without fsync of their folder, got ",
                        later_.size());
    }
    for (size_t subset = 0; subset < size_t{1} << later_.size(); ++subset) {
      NameMap names = names_;
      for (size_t i = 0; i < later_.size(); ++i) {
        if ((subset >> i & 1) != 0) apply(names, *later_[i]);
      }
      for_each_content(names, visit);
    }
  }

 private:
  using NameMap = std::map<std::string, int>;
  struct Inode {
    std::string content;              // on the disk
    std::vector<const Event*> later;  // writes that may be there
  };

  static void apply(NameMap& names, const Event& change) {
    for (const auto& [name, inode] : change.names) {
      if (inode < 0) {
        names.erase(name);
      } else {
        names[name] = inode;
      }
    }
  }

  // Each file varies with the others as they are on the disk, and once all have
  // everything.
  template <class Visit>
  void for_each_content(const NameMap& names, Visit visit) const {
    Files least;
    Files most;
    for (const auto& [name, inode] : names) {
      const std::vector<std::string> variants = contents(inode);
      least[name] = variants.front();
      most[name] = variants.back();
    }
    visit(least);
    visit(most);
    for (const auto& [name, inode] : names) {
      Files files = least;
      for (const std::string& content : contents(inode)) {
        files[name] = content;
        visit(files);
      }
    }
  }

  // From nothing of the later writes to all of them.
  std::vector<std::string> contents(int number) const {
    const auto found = inodes_.find(number);
    if (found == inodes_.end()) return {""};  // nothing was ever written
    const Inode& inode = found->second;
    std::vector<std::string> variants = {inode.content};
    std::string all = inode.content;
    for (const Event* write : inode.later)
      put(all, write->offset, write->bytes);
    // The size without the bytes.
    variants.push_back(inode.content);
    variants.back().resize(std::max(all.size(), inode.content.size()), '\0');
    const auto add_those = [&](auto is_there) {
      std::string& some = variants.emplace_back(inode.content);
      for (size_t i = 0; i < inode.later.size(); ++i) {
        const Event& write = *inode.later[i];
        if (is_there(i)) put(some, write.offset, write.bytes);
      }
    };
    const size_t n_writes = inode.later.size();
    const bool tries_all = n_writes <= kMaxWrites;
    for (size_t subset = 1; tries_all && subset < size_t{1} << n_writes;
         ++subset) {
      add_those([&](size_t i) { return (subset >> i & 1) != 0; });
    }
    for (size_t which = 0; which < n_writes; ++which) {
      const Event* one = inode.later[which];
      if (!tries_all) add_those([&](size_t i) { return i == which; });
      add_those([&](size_t i) { return i != which; });
      const std::string without = variants.back();
      // Some sectors of one, with all of the others.
      const size_t sectors = one->bytes.size() / kSector;
      const size_t step = sectors / kMaxTears + 1;
      for (size_t sector = 1; sector <= sectors; sector += step) {
        std::string torn = without;
        put(torn, one->offset,
            std::string_view(one->bytes).substr(0, sector * kSector));
        variants.push_back(torn);
      }
    }
    variants.push_back(all);
    return variants;
  }

  NameMap names_;
  std::map<int, Inode> inodes_;
  std::vector<const Event*> later_;
  int promises_ = 0;
};

FileSystemModel::FileSystemModel(std::string folder)
    : folder_(std::move(folder)) {
  if (!std::filesystem::is_empty(folder_)) {
    raise<ValueError>("FileSystemModel: expected an empty folder, got '",
                      folder_, "'");
  }
  observe_file_calls(this);
}

FileSystemModel::~FileSystemModel() { observe_file_calls(nullptr); }

int64_t FileSystemModel::for_each_loss(
    const std::function<void(const Files& files, int promises)>& check) const {
  std::set<std::pair<Files, int>> seen;
  for (size_t count = 0; count <= events_.size(); ++count) {
    const Moment moment(std::span<const Event>(events_).first(count));
    moment.for_each([&](const Files& files) {
      if (seen.emplace(files, moment.promises()).second) {
        check(files, moment.promises());
      }
    });
  }
  return static_cast<int64_t>(seen.size());
}

bool FileSystemModel::name_of(const std::string& path,
                              std::string& name) const {
  if (!path.starts_with(folder_ + "/")) return false;
  name = path.substr(folder_.size() + 1);
  return true;
}

int FileSystemModel::inode_of(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? -1 : found->second;
}

void FileSystemModel::change(Names names) {
  for (const auto& [name, inode] : names) {
    if (inode < 0) {
      names_.erase(name);
    } else {
      names_[name] = inode;
    }
  }
  events_.push_back({.kind = Kind::kNames, .names = std::move(names)});
}

void FileSystemModel::opened(int file, const std::string& path, int flags) {
  std::string name;
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    if (path == folder_) files_[file] = inodes_++;
  } else if ((flags & O_DIRECTORY) != 0) {
    if (path == folder_) folders_[file] = true;
  } else if (name_of(path, name)) {
    int inode = inode_of(name);
    if (inode < 0) {
      inode = inodes_++;
      change({{name, inode}});
    }
    files_[file] = inode;
  }
}

void FileSystemModel::written(int file, std::string_view bytes,
                              int64_t offset) {
  if (!files_.contains(file)) return;
  events_.push_back({.kind = Kind::kWrite,
                     .inode = files_[file],
                     .offset = offset,
                     .bytes = std::string(bytes)});
}

void FileSystemModel::synchronized(int file) {
  if (folders_.contains(file)) events_.push_back({.kind = Kind::kSyncNames});
  if (!files_.contains(file)) return;
  events_.push_back({.kind = Kind::kSync, .inode = files_[file]});
}

void FileSystemModel::renamed(const std::string& from, const std::string& to) {
  std::string old_name;
  std::string new_name;
  if (!name_of(from, old_name) || !name_of(to, new_name)) return;
  change({{new_name, inode_of(old_name)}, {old_name, -1}});
}

// Gives a name to what is open, "/proc/self/fd/3".
void FileSystemModel::linked(const std::string& from, const std::string& to) {
  std::string name;
  const std::string open_files = "/proc/self/fd/";
  if (!name_of(to, name) || !from.starts_with(open_files)) return;
  change({{name, files_.at(std::stoi(from.substr(open_files.size())))}});
}

void FileSystemModel::removed(const std::string& path) {
  std::string name;
  if (name_of(path, name) && inode_of(name) >= 0) change({{name, -1}});
}

void FileSystemModel::closed(int file) {
  files_.erase(file);
  folders_.erase(file);
}

}  // namespace catena::testing
