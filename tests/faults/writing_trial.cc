#include "catena/tests/faults/writing_trial.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

// The names and contents of all files below a folder.
std::string folder_state(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    files[path.substr(folder.size())] =
        entry.is_directory() ? "a folder" : read_file(path);
  }
  std::string state;
  for (const auto& [name, content] : files) {
    state += str(name, " ", content.size(), " ", content, "\n");
  }
  return state;
}

class WritingTrial final : public FaultTrial {
 public:
  WritingTrial(const std::string& file, const Write& write)
      : path_(folder_.file(file)), write_(write) {
    write_file(path_, "what was there before");
  }
  void run() override { write_(path_); }
  std::string state() override { return folder_state(folder_.path()); }

 private:
  TempFolder folder_;
  std::string path_;
  const Write& write_;
};

}  // namespace

FaultSubject writer(std::string name, std::string file, Write write) {
  return {std::move(name), [file = std::move(file), write = std::move(write)] {
            return std::make_unique<WritingTrial>(file, write);
          }};
}

}  // namespace catena::testing
