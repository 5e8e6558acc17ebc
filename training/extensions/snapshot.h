#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "catena/serializers/npz.h"
#include "catena/serializers/serializer.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

// Writes a file from what serialize hands over; whole, or not at all.
using SaveFunction = std::function<void(
    const std::string& file,
    const std::function<void(const Serializer&)>& serialize)>;
// Reads what a SaveFunction has written.
using LoadFunction = SaveFunction;

// serializers::save_npz and load_npz.
SaveFunction save_npz();
LoadFunction load_npz();

struct SnapshotOptions {
  SaveFunction savefun = save_npz();
  // In the trainer's folder; with fields of the trainer. snapshot_object has an
  // argument for it.
  std::string filename = "snapshot_iter_{.updater.iteration}";
  // What autoload reads with; belongs to savefun.
  LoadFunction loadfun = load_npz();
  // Asked before each file; without one all are written.
  std::function<bool()> condition = nullptr;
  // Whether a file is written too when the loop throws. It stands for the
  // middle of an iteration, whose minibatch is lost to who continues from it.
  bool snapshot_on_error = false;
  // How many files stay: when one is written the oldest are removed, told by
  // the number in their names. -1 for all.
  int64_t n_retains = -1;
  // Whether training starts with the newest intact file in the trainer's
  // folder, if there are any.
  bool autoload = false;
};

// Saves an object, each epoch by default and after all other extensions, so
// that what they changed is saved too.
class Snapshot final : public Extension {
 public:
  using Serialize = std::function<void(const Serializer&)>;

  // `target` is null for the trainer itself. ValueError when the file's name
  // has fields that trainers lack, a function is missing, n_retains is neither
  // -1 nor at least 1, or when it or autoload is used with a name that tells no
  // order, for lack of {.updater.iteration} or {.updater.epoch}.
  Snapshot(Serialize target, const SnapshotOptions& options);

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "_Snapshot"; }
  AnyTrigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return -100; }
  // With autoload. IoError when there are files but none is intact, or the
  // newest that is intact does not fit.
  void load(Trainer& trainer) override;
  void on_error(Trainer& trainer, std::exception_ptr error) override;

 private:
  void save(Trainer& trainer);
  void remove_old(const std::string& folder, const std::string& newest) const;
  Serialize target_of(Trainer& trainer) const;

  Serialize target_;
  SnapshotOptions options_;
};

// Saves the trainer with all it refers to. Training continues from it after
// serializers::load_npz(file, trainer), or with autoload = true.
Snapshot snapshot(const SnapshotOptions& options = {});

// Saves an object that must outlive the extension: a model, say.
template <serializers::Serializable T>
Snapshot snapshot_object(T& target, std::string filename,
                         SnapshotOptions options = {}) {
  options.filename = std::move(filename);
  return Snapshot([&target](const Serializer& s) { target.serialize(s); },
                  options);
}
template <class T>
Snapshot snapshot_object(const T&&, std::string, SnapshotOptions = {}) =
    delete;  // a temporary would be gone

// The file in `folder`, named as `filename` with a number for the iteration (or
// the epoch), that has the highest number and is intact: read to its end, every
// checksum right. Damaged ones are passed over. IoError when there is none,
// naming those that are damaged.
std::string latest_snapshot(
    const std::string& folder,
    const std::string& filename = SnapshotOptions().filename);

}  // namespace catena::training::extensions
