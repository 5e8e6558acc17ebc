#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/tests/faults/fault_injection.h"

namespace catena::testing {

// Records what happens to the files of a folder, and says what a loss of power
// may leave of them. What POSIX promises is all that is assumed:
//
// - Bytes are on the disk once fsync of their file has returned. Of later
//   writes any may be there, in any order, each whole or only some of its
//   sectors of 512 bytes; a file may have its new size before its bytes.
// - Names are on the disk once fsync of their folder has returned. Of later
//   changes of names any may be there, whether or not the bytes are.
class FileSystemModel final : public FileCallObserver {
 public:
  // Names, relative to the folder, and contents.
  using Files = std::map<std::string, std::string>;

  // Records from now on, until it is destroyed. The folder must be empty.
  explicit FileSystemModel(std::string folder);
  ~FileSystemModel() override;
  FileSystemModel(const FileSystemModel&) = delete;
  FileSystemModel& operator=(const FileSystemModel&) = delete;

  // Counts what is promised to be on the disk by now.
  void promise() { events_.push_back({.kind = Kind::kPromise}); }

  // Calls `check` with what may be left after a loss of power at any moment,
  // and the promises made before it; with equal files once for each number of
  // promises. Returns how many states there were.
  int64_t for_each_loss(
      const std::function<void(const Files& files, int promises)>& check) const;

  void opened(int file, const std::string& path, int flags) override;
  void written(int file, std::string_view bytes, int64_t offset) override;
  void synchronized(int file) override;
  void renamed(const std::string& from, const std::string& to) override;
  void linked(const std::string& from, const std::string& to) override;
  void removed(const std::string& path) override;
  void closed(int file) override;

 private:
  enum class Kind { kWrite, kSync, kNames, kSyncNames, kPromise };
  // A change of names: what they refer to, -1 for nothing, all at once.
  using Names = std::vector<std::pair<std::string, int>>;
  struct Event {
    Kind kind;
    int inode = -1;
    int64_t offset = 0;
    std::string bytes = {};
    Names names = {};
  };
  class Moment;

  // Whether a path is in the folder; then its name.
  bool name_of(const std::string& path, std::string& name) const;
  int inode_of(const std::string& name) const;
  void change(Names names);

  std::string folder_;
  std::vector<Event> events_;
  std::map<std::string, int> names_;  // as they are
  std::map<int, int> files_;          // inodes by descriptors
  std::map<int, bool> folders_;       // descriptors of the folder
  int inodes_ = 0;
};

}  // namespace catena::testing
