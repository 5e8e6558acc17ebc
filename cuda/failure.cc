#include "catena/cuda/failure.h"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "catena/array/core/deferred_errors.h"
#include "catena/array/core/device.h"

namespace catena::cuda {
namespace {

struct Failure {
  int device;
  std::exception_ptr exception;
};

struct Failures {
  std::mutex mutex;
  std::map<const void*, Failure> by_reporter;
};

// Never destroyed: background threads may outlive static variables.
Failures& failures() {
  static auto& all = *new Failures;
  return all;
}

constinit std::atomic<bool> any{false};

std::exception_ptr find(int device) {
  const std::lock_guard lock(failures().mutex);
  for (const auto& [reporter, failure] : failures().by_reporter) {
    if (failure.device == device) return failure.exception;
  }
  return nullptr;
}

}  // namespace

void report_failure(int device, const void* reporter,
                    std::exception_ptr failure) noexcept {
  const std::lock_guard lock(failures().mutex);
  failures().by_reporter[reporter] = {device, std::move(failure)};
  any = true;
}

void withdraw_failure(const void* reporter) noexcept {
  const std::lock_guard lock(failures().mutex);
  failures().by_reporter.erase(reporter);
  any = !failures().by_reporter.empty();
}

void throw_failure(int device) {
  if (any) [[unlikely]] {
    if (const std::exception_ptr failure = find(device)) {
      std::rethrow_exception(failure);
    }
  }
  raise_deferred_errors(cuda_device(device));
}

}  // namespace catena::cuda
