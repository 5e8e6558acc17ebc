#include "catena/training/communicators/multi_node_checkpointer.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "catena/array/io/folder_names.h"
#include "catena/array/io/npz.h"
#include "catena/serializers/npz.h"
#include "catena/training/trainer.h"

namespace catena::training::communicators {
namespace {

// Removes a given text and a number from the front; nullopt if they do not
// match.
std::optional<int64_t> take_number(std::string_view& text,
                                   std::string_view before) {
  if (!text.starts_with(before)) return std::nullopt;
  int64_t number = 0;
  const char* begin = text.data() + before.size();
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(stop - text.data());
  return number;
}

bool is_intact(const std::string& file) {
  try {
    const array::NpzReader reader(file);
    for (const std::string& key : reader.keys()) reader.read(key);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

struct MultiNodeCheckpointer::Files {
  // In ascending order, including damaged ones.
  std::vector<int64_t> iterations;
  bool has_other_sizes = false;
};

MultiNodeCheckpointer::MultiNodeCheckpointer(
    Communicator& communicator, const MultiNodeCheckpointerOptions& options)
    : communicator_(communicator), options_(options) {
  if (options.name.empty() || options.name.find('/') != std::string::npos) {
    raise<ValueError>(
        "MultiNodeCheckpointer: expected a name without slashes, got '",
        options.name, "'");
  }
  if (options.keep < 1) {
    raise<ValueError>("MultiNodeCheckpointer: expected keep >= 1, got ",
                      options.keep);
  }
}

std::string MultiNodeCheckpointer::file_name(int64_t iteration) const {
  return str(options_.name, "_iter_", iteration, "_rank_", communicator_.rank(),
             "_of_", communicator_.size());
}

MultiNodeCheckpointer::Files MultiNodeCheckpointer::find_files(
    const std::string& folder) const {
  Files files;
  const auto names = array::folder_names(folder);
  if (!names) return files;  // none yet
  for (const std::string& name : *names) {
    std::string_view rest = name;
    const auto iteration = take_number(rest, options_.name + "_iter_");
    const auto rank = take_number(rest, "_rank_");
    const auto size = take_number(rest, "_of_");
    if (!iteration || !rank || !size || !rest.empty()) continue;
    if (*size != communicator_.size()) {
      files.has_other_sizes = true;
    } else if (*rank == communicator_.rank()) {
      files.iterations.push_back(*iteration);
    }
  }
  std::ranges::sort(files.iterations);
  return files;
}

void MultiNodeCheckpointer::operator()(Trainer& trainer) {
  serializers::save_npz(
      trainer.out_path(file_name(trainer.updater().iteration())), trainer);
  communicator_.barrier();
  std::vector<int64_t> old = find_files(trainer.out()).iterations;
  // Those of a longer run before this one are not its own, and newer than all
  // that it has.
  std::erase_if(old, [&](int64_t iteration) {
    return iteration > trainer.updater().iteration();
  });
  if (std::ssize(old) <= options_.keep) return;
  old.resize(old.size() - static_cast<size_t>(options_.keep));
  for (const int64_t iteration : old) {
    // A file that cannot be removed only takes space.
    std::error_code ignored;
    std::filesystem::remove(trainer.out_path(file_name(iteration)), ignored);
  }
}

int64_t MultiNodeCheckpointer::maybe_load(Trainer& trainer) {
  const Files files = find_files(trainer.out());
  // "other", "none", "some" or "damaged", then each intact iteration.
  std::string kind = files.has_other_sizes ? "other" : "none";
  if (!files.iterations.empty()) kind = "some";
  std::string intact;
  for (const int64_t iteration : files.iterations) {
    if (is_intact(trainer.out_path(file_name(iteration)))) {
      intact += str(" ", iteration);
    } else {
      kind = "damaged";
    }
  }
  bool has_some = false;
  bool has_damaged = false;
  bool has_other_sizes = false;
  std::set<int64_t> all;
  std::optional<std::set<int64_t>> common;
  for (const std::string& text : communicator_.allgather_bytes(kind + intact)) {
    std::istringstream words(text);
    words >> kind;
    has_damaged |= kind == "damaged";
    has_some |= kind == "some" || kind == "damaged";
    has_other_sizes |= kind == "other";
    std::set<int64_t> theirs;
    for (int64_t iteration = 0; words >> iteration;) {
      all.insert(iteration);
      if (!common || common->contains(iteration)) theirs.insert(iteration);
    }
    common = std::move(theirs);
  }
  if (common->empty()) {
    // Older files go once all ranks have the next: a single one is the first.
    const bool is_first = all.size() == 1 && !has_damaged && !has_other_sizes;
    if (is_first) return 0;
    if (has_some) {
      raise<IoError>("maybe_load: expected a checkpoint '", options_.name,
                     "' with an intact file of each of ", communicator_.size(),
                     " ranks, found none in '", trainer.out(),
                     "'; remove the files to start over");
    }
    if (has_other_sizes) {
      raise<IoError>(
          "maybe_load: expected a checkpoint '", options_.name, "' of ",
          communicator_.size(),
          " ranks, found files of a different number of ranks in '",
          trainer.out(),
          "'; start that many ranks, or remove the files to start over");
    }
    return 0;
  }
  const int64_t last = *common->rbegin();
  serializers::load_npz(trainer.out_path(file_name(last)), trainer);
  return last;
}

}  // namespace catena::training::communicators
