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

// Writes the entries of a serialize function to a file, atomically.
using SaveFunction = std::function<void(
    const std::string& file,
    const std::function<void(const Serializer&)>& serialize)>;
// Reads a file written by a SaveFunction.
using LoadFunction = SaveFunction;

// serializers::save_npz and load_npz. Compressing megabytes of parameters takes
// seconds and saves little: {.compression = false}.
SaveFunction save_npz(const serializers::SaveNpzOptions& options = {});
LoadFunction load_npz();

struct SnapshotOptions {
  NamedFieldsOnly keywords = {};
  SaveFunction savefun = save_npz();
  // File in the trainer's folder; may contain fields of the trainer.
  // snapshot_object takes it as an argument.
  std::string filename = "snapshot_iter_{.updater.iteration}";
  // The function that autoload reads with; must match savefun.
  LoadFunction loadfun = load_npz();
  // Whether to write the file, called each time; by default all are written.
  std::function<bool()> condition = nullptr;
  // Whether to also write a file when the loop throws. It is from the middle of
  // an iteration, whose minibatch is skipped when training resumes. Where that
  // iteration has a file, it stays, and the name of the new one ends in
  // "_on_error"; autoload does not read it.
  bool snapshot_on_error = false;
  // How many files to keep: after each write, the files with the lowest numbers
  // in their names are removed. -1 keeps all.
  int64_t n_retains = -1;
  // Whether training starts from the newest intact file in the trainer's
  // folder, if there is any file.
  bool autoload = false;
};

// Saves an object, every epoch by default, after all other extensions, so that
// their changes are included. A snapshot of the trainer is also written when
// StopOnInterrupt ends training, unless that iteration has one: nothing is
// lost.
class Snapshot final : public Extension {
 public:
  using Serialize = std::function<void(const Serializer&)>;

  // `target` is null for the trainer itself. Throws ValueError when filename
  // has unknown fields, a function is missing, n_retains is neither -1 nor >=
  // 1, or when n_retains or autoload is used with a filename without
  // {.updater.iteration} or {.updater.epoch}.
  Snapshot(Serialize target, const SnapshotOptions& options);

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "_Snapshot"; }
  // Those of the same trainer may have the same file.
  std::string file() const override {
    return target_ ? options_.filename : std::string();
  }
  AnyTrigger trigger() const override { return {1, "epoch"}; }
  // The trainer comes after objects, whose triggers are part of its state.
  int priority() const override { return target_ ? -90 : -100; }
  // With autoload, throws IoError when there are files but none is intact, or
  // when the newest intact file does not match the object.
  void load(Trainer& trainer) override;
  void on_error(Trainer& trainer, std::exception_ptr error) override;

 private:
  std::string path_of(Trainer& trainer) const;
  void save(Trainer& trainer, const std::string& file);
  void remove_old(const std::string& folder, const std::string& newest) const;
  Serialize target_of(Trainer& trainer) const;

  Serialize target_;
  SnapshotOptions options_;
  int64_t saved_at_ = -1;  // the last iteration that was saved
};

// Saves the trainer and everything it refers to. To resume, use
// serializers::load_npz(file, trainer) or autoload = true.
Snapshot snapshot(const SnapshotOptions& options = {});

// Saves an object, such as a model, which must outlive the extension.
template <serializers::Serializable T>
Snapshot snapshot_object(T& target, std::string filename,
                         SnapshotOptions options = {}) {
  options.filename = std::move(filename);
  return Snapshot([&target](const Serializer& s) { target.serialize(s); },
                  options);
}
template <class T>
Snapshot snapshot_object(const T&&, std::string, SnapshotOptions = {}) =
    delete;  // a temporary would dangle

// The intact file in `folder` with the highest iteration (or epoch) in its
// name, which has the form `filename`. Intact means readable to the end with
// correct checksums; damaged files are skipped. Throws IoError, naming the
// damaged files, when there is none.
std::string latest_snapshot(
    const std::string& folder,
    const std::string& filename = SnapshotOptions().filename);

}  // namespace catena::training::extensions
