#include "catena/training/trainer.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <set>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/name_list.h"
#include "catena/array/core/trace.h"
#include "catena/array/random/random.h"
#include "catena/autograd/class_name.h"
#include "catena/serializers/random_state.h"

namespace catena::training {
namespace {

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

Trainer::Trainer(Updater& updater, AnyTrigger stop_trigger,
                 const TrainerOptions& options)
    : updater_(updater),
      stop_trigger_(std::move(stop_trigger)),
      out_(options.out) {
  if (out_.empty()) {
    raise<ValueError>(
        "Trainer: expected a folder `out`, got an empty name; "
        "'.' is the current one");
  }
  for (const auto& [name, optimizer] : updater.get_all_optimizers()) {
    Link& target = optimizer->target();
    reporter_.add_observer(name, target);
    reporter_.add_observers(name, target.namedlinks(true));
  }
  updater.connect_trainer(*this);
}

void Trainer::add_extension(std::shared_ptr<Extension> extension,
                            const ExtendOptions& options) {
  if (extension == nullptr) {
    raise<ValueError>("extend: expected an extension, got a null pointer");
  }
  const std::string wanted =
      options.name.empty() ? extension->default_name() : options.name;
  if (wanted == "training") {
    raise<ValueError>(
        "extend: expected a name other than 'training', which is reserved");
  }
  if (const std::string file = extension->file(); !file.empty()) {
    for (const auto& entry : entries_) {
      if (entry->extension->file() != file) continue;
      raise<ValueError>("extend: expected another file than '", file, "' for '",
                        wanted, "', since '", entry->name,
                        "' writes it, too; choose a name in its options");
    }
  }
  std::string name = wanted;
  for (int i = 1; find_entry(name) != nullptr; ++i) name = str(wanted, "_", i);
  extension->name_ = name;
  auto entry = std::make_unique<Entry>();
  entry->name = name;
  entry->trigger =
      options.trigger.is_given() ? options.trigger : extension->trigger();
  entry->priority = options.priority.value_or(extension->priority());
  entry->invoke_before_training = options.invoke_before_training.value_or(
      extension->invoke_before_training());
  entry->extension = std::move(extension);
  entries_.push_back(std::move(entry));
}

Trainer::Entry* Trainer::find_entry(std::string_view name) {
  for (const auto& entry : entries_) {
    if (entry->name == name) return entry.get();
  }
  return nullptr;
}

Extension& Trainer::get_extension(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) {
    if (entry->name == name) return *entry->extension;
    names.push_back(entry->name);
  }
  array::throw_unknown_name("get_extension", "an extension", names, name);
}

Extension& Trainer::find_only(const std::type_info& type,
                              bool (*is_it)(const Extension&)) const {
  std::vector<Extension*> found;
  std::vector<std::string> found_names;
  std::vector<std::string> names;
  for (const auto& entry : entries_) {
    names.push_back(entry->name);
    if (!is_it(*entry->extension)) continue;
    found.push_back(entry->extension.get());
    found_names.push_back(entry->name);
  }
  if (found.size() == 1) return *found[0];
  const std::string wanted = class_name(type);
  if (found.empty()) {
    raise<ValueError>(
        "get_extension: expected an extension of type ", wanted, ", got ",
        names.empty() ? "a trainer without extensions"
                      : "only " + array::list_names(names, wanted));
  }
  raise<ValueError>("get_extension: expected one extension of type ", wanted,
                    ", got ", array::list_names(found_names, wanted),
                    "; pass the name, too");
}

void Trainer::throw_wrong_type(const std::type_info& wanted,
                               const Extension& found) {
  raise<ValueError>("get_extension: expected '", found.name(), "' to be a ",
                    class_name(wanted), ", got a ", class_name(typeid(found)));
}

bool Trainer::runs_before(const Extension& first, const Extension& second) {
  for (const Entry* entry : entries_by_priority()) {
    if (entry->extension.get() == &first) return true;
    if (entry->extension.get() == &second) return false;
  }
  return false;
}

std::vector<Trainer::Entry*> Trainer::entries_by_priority() {
  std::vector<Entry*> entries;
  for (const auto& entry : entries_) entries.push_back(entry.get());
  std::ranges::stable_sort(entries, std::ranges::greater(), &Entry::priority);
  return entries;
}

std::string Trainer::out_path(std::string_view file) const {
  return (std::filesystem::path(out_) / file).string();
}

void Trainer::run(const RunOptions& options) try {
  if (start_at_) {
    raise<ValueError>(
        "Trainer::run: expected one call, got a second; create another "
        "trainer");
  }
  std::error_code error;
  std::filesystem::create_directories(out_, error);
  if (error) {
    raise<IoError>("Trainer::run: cannot create the folder '", out_,
                   "': ", error.message());
  }
  const std::vector<Entry*> entries = entries_by_priority();
  start_at_ = Clock::now();
  std::exception_ptr failure;
  try {
    start(entries);
    loop(entries);
  } catch (...) {
    failure = std::current_exception();
    handle_error(entries, failure, options);
  }
  final_elapsed_time_ = elapsed_time();
  try {
    finalize(entries);
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("Trainer::run");
}

void Trainer::handle_error(const std::vector<Entry*>& entries,
                           const std::exception_ptr& error,
                           const RunOptions& options) {
  if (options.show_loop_exception_msg) {
    // Who catches it, or the C++ library, prints the message.
    std::cerr << str("Exception in main training loop after iteration ",
                     updater_.iteration(),
                     ". Finalizing trainer extensions and updater before it is "
                     "thrown again.\n")
              << std::flush;
  }
  for (Entry* entry : entries) {
    try {
      entry->extension->on_error(*this, error);
    } catch (...) {
      std::cerr << "Exception in on_error of '" << entry->name
                << "': " << message_of(std::current_exception()) << "\n"
                << std::flush;
    }
  }
}

void Trainer::start(const std::vector<Entry*>& entries) {
  for (Entry* entry : entries) entry->extension->load(*this);
  for (Entry* entry : entries) entry->extension->initialize(*this);
  const auto scope = reporter_.scope(observation_);
  for (Entry* entry : entries) {
    if (entry->invoke_before_training) (*entry->extension)(*this);
  }
}

void Trainer::loop(const std::vector<Entry*>& entries) {
  while (!stop_trigger_(*this)) {
    observation_.clear();
    const auto scope = reporter_.scope(observation_);
    {
      const TraceSpan span("training", "update");
      updater_.update();
    }
    for (Entry* entry : entries) {
      if (!entry->trigger(*this)) continue;
      const TraceSpan span("extension", entry->name);
      (*entry->extension)(*this);
    }
  }
}

// All are finalized even if one throws; the first exception is rethrown.
void Trainer::finalize(const std::vector<Entry*>& entries) {
  std::exception_ptr failure;
  const auto attempt = [&](auto&& object) {
    try {
      object.finalize();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  for (Entry* entry : entries) attempt(*entry->extension);
  attempt(updater_);
  if (failure) std::rethrow_exception(failure);
}

double Trainer::elapsed_time() const {
  if (final_elapsed_time_) return *final_elapsed_time_;
  if (!start_at_) {
    raise<ValueError>(
        "Trainer::elapsed_time: expected a call after run(), got one before");
  }
  const std::chrono::duration<double> seconds = Clock::now() - *start_at_;
  return snapshot_elapsed_time_ + seconds.count();
}

void Trainer::serialize(const Serializer& serializer) {
  updater_.serialize(serializer["updater"]);
  stop_trigger_.serialize(serializer["stop_trigger"]);
  for (const auto& entry : entries_) {
    entry->extension->serialize(serializer["extensions"][entry->name]);
    entry->trigger.serialize(serializer["extension_triggers"][entry->name]);
  }
  if (serializer.is_writer()) {
    double elapsed = start_at_ ? elapsed_time() : snapshot_elapsed_time_;
    serializer("_snapshot_elapsed_time", elapsed);
  } else {
    serializer("_snapshot_elapsed_time", snapshot_elapsed_time_);
  }
  serialize_generators(serializer["_random_states"]);
}

void Trainer::serialize_generators(const Serializer& serializer) {
  std::set<std::string> devices;
  for (const Device device : updater_.devices()) devices.insert(device.name());
  for (const std::string& device : devices) {
    array::random::Generator& generator =
        array::random::generator(Device::parse(device));
    if (serializer.is_writer()) {
      write_random_state(serializer, device, generator.state());
    } else if (const auto state = read_random_state(serializer, device)) {
      serializer.on_commit(
          [&generator, state = *state] { generator.set_state(state); });
    }
  }
}

}  // namespace catena::training
