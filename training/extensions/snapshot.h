#pragma once

#include <functional>
#include <string>

#include "catena/serializers/npz.h"
#include "catena/serializers/serializer.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

// Writes a file from what serialize hands over; whole, or not at all.
using SaveFunction = std::function<void(
    const std::string& file,
    const std::function<void(const Serializer&)>& serialize)>;

// serializers::save_npz.
SaveFunction save_npz();

struct SnapshotOptions {
  SaveFunction savefun = save_npz();
  // In the trainer's folder; with fields of the trainer.
  std::string filename = "snapshot_iter_{.updater.iteration}";
};

// Saves an object, each epoch by default and after all other extensions, so
// that what they changed is saved too.
class Snapshot final : public Extension {
 public:
  using Serialize = std::function<void(const Serializer&)>;

  // `target` is null for the trainer itself. ValueError when the file's name
  // has fields that trainers lack.
  Snapshot(Serialize target, std::string filename, SaveFunction savefun);

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "_Snapshot"; }
  AnyTrigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return -100; }

 private:
  Serialize target_;
  std::string filename_;
  SaveFunction savefun_;
};

// Saves the trainer with all it refers to. Training continues from it after
// serializers::load_npz(file, trainer).
Snapshot snapshot(const SnapshotOptions& options = {});

// Saves an object that must outlive the extension: a model, say.
template <serializers::Serializable T>
Snapshot snapshot_object(T& target, std::string filename,
                         SaveFunction savefun = save_npz()) {
  return Snapshot([&target](const Serializer& s) { target.serialize(s); },
                  std::move(filename), std::move(savefun));
}
template <class T>
Snapshot snapshot_object(const T&&, std::string, SaveFunction = {}) =
    delete;  // a temporary would be gone

// The file in `folder`, named as `filename` with a number for the iteration,
// that has the highest number and is intact: read to its end, every checksum
// right. Damaged ones are passed over. IoError when there is none, naming
// those that are damaged.
std::string latest_snapshot(
    const std::string& folder,
    const std::string& filename = SnapshotOptions().filename);

}  // namespace catena::training::extensions
