#include "catena/autograd/function_hooks/memory_profile_hook.h"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/core/profiling.h"
#include "catena/autograd/function_hooks/report_table.h"
#include "catena/autograd/function_node.h"

namespace catena::function_hooks {
namespace {

constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};

// The largest unit that is not larger than the bytes.
std::string_view unit_for(int64_t bytes) {
  size_t unit = 0;
  for (; bytes >= 1024; bytes /= 1024) ++unit;
  return kUnits[unit];
}

std::string text_of_bytes(int64_t bytes, std::string_view unit) {
  auto value = static_cast<double>(bytes);
  for (const std::string_view other : kUnits) {
    if (other == unit) break;
    value /= 1024;
  }
  return text_with_unit(value, unit);
}

}  // namespace

MemoryProfileHook::Bytes MemoryProfileHook::bytes_now() {
  Bytes bytes = {};
  for (const Backend backend : {Backend::kNative, Backend::kCuda}) {
    bytes.used += allocated_bytes(backend);
    const BackendTable* table = backend_table(backend);
    if (table != nullptr && table->reserved_bytes != nullptr) {
      bytes.acquired += table->reserved_bytes();
    }
  }
  return bytes;
}

void MemoryProfileHook::start(const FunctionNode& function) {
  running_.begin(&function, {bytes_now(), total_});
}

void MemoryProfileHook::stop(const FunctionNode& function) {
  const auto start = running_.end(&function);
  if (!start) return;
  const Bytes now = bytes_now();
  const int64_t used = now.used - start->bytes.used;
  // A pool may have released memory.
  const int64_t acquired =
      std::max<int64_t>(now.acquired - start->bytes.acquired, 0);
  call_history_.push_back({std::string(function.label()), used, acquired});
  total_ = {start->total_before.used + used,
            start->total_before.acquired + acquired};
}

void MemoryProfileHook::forward_preprocess(const FunctionNode& function,
                                           const Arrays&) {
  start(function);
}

void MemoryProfileHook::forward_postprocess(const FunctionNode& function,
                                            const Arrays&) {
  stop(function);
}

void MemoryProfileHook::backward_preprocess(const FunctionNode& function,
                                            const Variables&) {
  start(function);
}

void MemoryProfileHook::backward_postprocess(const FunctionNode& function,
                                             const Variables&) {
  stop(function);
}

std::vector<MemoryProfileHook::Summary> MemoryProfileHook::summary() const {
  std::vector<Summary> entries;
  for (const Call& call : call_history_) {
    auto entry = std::ranges::find(entries, call.name, &Summary::name);
    if (entry == entries.end()) {
      entries.push_back({call.name, 0, 0, 0});
      entry = std::prev(entries.end());
    }
    entry->used_bytes += call.used_bytes;
    entry->acquired_bytes += call.acquired_bytes;
    ++entry->occurrence;
  }
  return entries;
}

void MemoryProfileHook::print_report(std::ostream& os,
                                     std::string_view unit) const {
  const bool each = unit == "auto_foreach";
  if (!each && unit != "auto" &&
      std::ranges::find(kUnits, unit) == std::end(kUnits)) {
    raise<ValueError>(
        "MemoryProfileHook: expected the unit auto, auto_foreach, B, KB, MB, "
        "GB, TB, PB or EB, got '",
        unit, "'");
  }
  const std::vector<Summary> entries = summary();
  const auto column = [&](int64_t Summary::*bytes) {
    int64_t max = 0;
    for (const Summary& entry : entries) max = std::max(max, entry.*bytes);
    return [=](const Summary& entry) {
      return text_of_bytes(entry.*bytes, each ? unit_for(entry.*bytes)
                                         : unit == "auto" ? unit_for(max)
                                                          : unit);
    };
  };
  const auto used = column(&Summary::used_bytes);
  const auto acquired = column(&Summary::acquired_bytes);
  std::vector<std::vector<std::string>> rows = {
      {"FunctionName", "UsedBytes", "AcquiredBytes", "Occurrence"}};
  for (const Summary& entry : entries) {
    rows.push_back({entry.name, used(entry), acquired(entry),
                    std::to_string(entry.occurrence)});
  }
  print_table(os, rows);
}

void MemoryProfileHook::print_report(std::string_view unit) const {
  print_report(std::cout, unit);
}

}  // namespace catena::function_hooks
