#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catena/array/core/device.h"

// Errors that a device finds in the values of arrays, such as a label out of
// range. Reading the values would make the host wait, so the kernel reports
// what it found in memory that the host can read, too, and the host throws the
// error when it next waits for the device: in item(), in copies to the host and
// in synchronize(). By then the operation has returned, and others may have
// used its result, so its kernels must leave out what is wrong.
//
//   launch(kernel, ..., error_reporter(device, "take", kBadIndex));
//   if (is_bad) report_error(reporter, index, extent);  // in the kernel
//
// A reporter is valid as long as the process and always the same for one
// operation on one device, so that captured graphs can contain it. Until an
// error is thrown, only the first report of its operation is kept.
namespace catena {

inline constexpr int kDeferredErrorNumbers = 4;

// The first report of one operation on one device.
struct DeferredReport {
  enum State : uint32_t { kNone, kBeingWritten, kComplete };
  uint32_t state = kNone;
  int64_t numbers[kDeferredErrorNumbers] = {};  // their meaning: describe()
};

// What a device shares with the host.
struct DeferredReports {
  // The number of operations that can report errors.
  static constexpr int kCapacity = 128;

  uint32_t any = 0;  // nonzero after a report was completed
  DeferredReport of_operation[kCapacity];
};

// What a kernel needs for reports of one operation.
struct ErrorReporter {
  DeferredReport* report;
  uint32_t* any;
};

// Defined once, as a constant, for all operations that report the same.
struct DeferredError {
  // The message about the numbers of a report.
  std::string (*describe)(std::string_view operation, const int64_t* numbers);
  // Throws an exception with this message: throw_error<ValueError>.
  void (*raise)(const std::string& message);
};

template <class E>
[[noreturn]] void throw_error(const std::string& message) {
  throw E(message);
}

// The reporter of an operation. Thread-safe. Throws NotImplementedError when
// the device has no memory for reports, or more than kCapacity operations use
// it.
ErrorReporter error_reporter(Device device, std::string_view operation,
                             const DeferredError& error);

// Throws what the device has reported, if anything, and forgets it. Of several
// operations the first that ever asked for a reporter decides the exception's
// type; the message has all. For backends, after each wait for the device;
// nearly free when there is nothing.
void raise_deferred_errors(Device device);

}  // namespace catena
