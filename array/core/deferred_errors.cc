#include "catena/array/core/deferred_errors.h"

#include <array>
#include <atomic>
#include <mutex>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"

namespace catena {
namespace {

using AtomicWord = std::atomic_ref<uint32_t>;

struct Operation {
  std::string name;
  const DeferredError* error;
};

struct Registry {
  std::mutex mutex;
  std::array<Operation, DeferredReports::kCapacity> operations;
  int count = 0;
};

Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

// Null until an operation on the device asks for a reporter.
constinit std::array<std::array<std::atomic<DeferredReports*>, kMaxDevices>,
                     kBackendCount>
    all_reports{};

std::atomic<DeferredReports*>& reports_of(Device device) {
  return all_reports[static_cast<size_t>(device.backend())]
                    [static_cast<size_t>(device.index())];
}

// The position of an operation, which is added if it is new.
int find(Registry& all, std::string_view name, const DeferredError& error) {
  for (int i = 0; i < all.count; ++i) {
    const Operation& known = all.operations[static_cast<size_t>(i)];
    if (known.error == &error && known.name == name) return i;
  }
  if (all.count == DeferredReports::kCapacity) {
    raise<NotImplementedError>(name, ": expected at most ", all.count,
                               " operations that report errors of devices");
  }
  all.operations[static_cast<size_t>(all.count)] = {std::string(name), &error};
  return all.count++;
}

}  // namespace

ErrorReporter error_reporter(Device device, std::string_view operation,
                             const DeferredError& error) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::atomic<DeferredReports*>& own = reports_of(device);
  DeferredReports* reports = own.load(std::memory_order_relaxed);
  if (reports == nullptr) {
    const BackendTable* table = backend_table(device.backend());
    if (table == nullptr || table->allocate_reports == nullptr) {
      raise<NotImplementedError>(
          operation, ": no memory for reports of errors on ", device);
    }
    reports = table->allocate_reports(device);
    own.store(reports, std::memory_order_release);
  }
  return {&reports->of_operation[find(all, operation, error)], &reports->any};
}

void raise_deferred_errors(Device device) {
  DeferredReports* reports = reports_of(device).load(std::memory_order_acquire);
  if (reports == nullptr) return;
  if (AtomicWord(reports->any).load(std::memory_order_acquire) == 0) {
    return;
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  // First, so that a report that is completed meanwhile sets it again.
  AtomicWord(reports->any).store(0, std::memory_order_seq_cst);
  const DeferredError* first = nullptr;
  std::string message;
  for (int i = 0; i < all.count; ++i) {
    DeferredReport& report = reports->of_operation[i];
    AtomicWord state(report.state);
    if (state.load(std::memory_order_acquire) != DeferredReport::kComplete) {
      continue;
    }
    const Operation& operation = all.operations[static_cast<size_t>(i)];
    message += str(first == nullptr ? "" : "; ",
                   operation.error->describe(operation.name, report.numbers));
    if (first == nullptr) first = operation.error;
    state.store(DeferredReport::kNone, std::memory_order_release);
  }
  if (first == nullptr) return;
  first->raise(str(message, " (found on ", device, " after the call)"));
}

}  // namespace catena
