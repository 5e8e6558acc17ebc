#include "catena/autograd/function_hooks/call_timer.h"

#include <algorithm>
#include <iterator>

#include "catena/autograd/function_hooks/report_table.h"

namespace catena::function_hooks {
namespace {

std::string text_of_seconds(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1, "sec"}, {1e-3, "ms"}, {1e-6, "us"}};
  const Unit* unit = std::ranges::find_if(
      kUnits, [&](const Unit& u) { return seconds >= u.size; });
  constexpr Unit kSmallest = {1e-9, "ns"};
  if (unit == std::end(kUnits)) unit = &kSmallest;
  return text_with_unit(seconds / unit->size, unit->name);
}

}  // namespace

void CallTimer::start(const void* what) {
  running_.begin(what, {Clock::now(), total_time_});
}

void CallTimer::stop(const void* what, std::string_view name) {
  const Clock::time_point now = Clock::now();
  const auto call = running_.end(what);
  if (!call) return;
  const double seconds =
      std::chrono::duration<double>(now - call->start).count();
  call_history_.emplace_back(name, seconds);
  total_time_ = call->total_before + seconds;
}

std::vector<CallTimer::Summary> CallTimer::summary() const {
  std::vector<Summary> entries;
  for (const auto& [name, seconds] : call_history_) {
    auto entry = std::ranges::find(entries, name, &Summary::name);
    if (entry == entries.end()) {
      entries.push_back({name, 0, 0});
      entry = std::prev(entries.end());
    }
    entry->elapsed_time += seconds;
    ++entry->occurrence;
  }
  return entries;
}

void CallTimer::print_report(std::ostream& os, std::string_view title) const {
  std::vector<std::vector<std::string>> rows = {
      {std::string(title), "ElapsedTime", "Occurrence"}};
  for (const Summary& entry : summary()) {
    rows.push_back({entry.name, text_of_seconds(entry.elapsed_time),
                    std::to_string(entry.occurrence)});
  }
  print_table(os, rows);
}

}  // namespace catena::function_hooks
