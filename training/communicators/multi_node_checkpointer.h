#pragma once

#include <cstdint>
#include <string>

#include "catena/training/communicators/communicator.h"
#include "catena/training/extension.h"

namespace catena::training::communicators {

struct MultiNodeCheckpointerOptions {
  NamedFieldsOnly keywords = {};
  // Files are named NAME_iter_ITERATION_rank_RANK_of_SIZE in the trainer's
  // folder.
  std::string name = "checkpoint";
  // How many checkpoints to keep; older ones are deleted once all ranks have
  // written theirs.
  int64_t keep = 2;
};

// Saves the trainers of all ranks, every epoch by default, after all other
// extensions, and deletes older files, but none of later iterations. Ranks may
// share a folder or have one each.
class MultiNodeCheckpointer final : public Extension {
 public:
  // Throws ValueError for an empty name, one with a slash, or a keep below 1.
  // The communicator must outlive it.
  explicit MultiNodeCheckpointer(
      Communicator& communicator,
      const MultiNodeCheckpointerOptions& options = {});

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "MultiNodeCheckpointer"; }
  AnyTrigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return -100; }

  // Loads the last checkpoint with an intact file of every rank and returns its
  // iteration; 0 when there are no files, or only those of a first checkpoint
  // that was interrupted before all ranks had written theirs. Throws IoError,
  // on all ranks, when there are files but no complete checkpoint, or files of
  // a different number of ranks. All ranks must call it.
  int64_t maybe_load(Trainer& trainer);

 private:
  std::string file_name(int64_t iteration) const;
  // This rank's files in the folder, and whether there are files of a different
  // number of ranks.
  struct Files;
  Files find_files(const std::string& folder) const;

  Communicator& communicator_;
  MultiNodeCheckpointerOptions options_;
};

}  // namespace catena::training::communicators
