#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catena/links/link.h"
#include "catena/links/observation.h"

namespace catena {

// Collects values that are worth watching, such as losses and activation
// statistics, under names. What reports them, usually a link, is known to the
// reporter under a name that it puts in front:
//
//   Reporter reporter;
//   reporter.add_observer("main", model);
//   Observation observation;
//   {
//     const auto scope = reporter.scope(observation);
//     report({{"loss", loss}}, &model);      // anywhere below
//   }
//   observation["main/loss"]
//
// The trainer and the evaluator set up theirs with all links of their models.
class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Makes a reporter this thread's current one, with an observation to write
  // to, until it is destroyed. Scopes nest.
  class [[nodiscard]] Scope {
   public:
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class Reporter;
    friend Scope report_scope(Observation& observation);
    // Which reports it gets beside the current reporter's: none, this thread's,
    // or those of all threads that have no reporter.
    enum class Reach : uint8_t { kCurrent, kThread, kGlobal };
    Scope(Reporter& reporter, Observation& observation, Reach reach);

    Reporter& reporter_;
    Observation* previous_;
    Reporter* previous_global_ = nullptr;
    Reach reach_;
  };

  // Names an observer, which is told from others by its address.
  void add_observer(std::string name, const Link& observer);
  void add_observer(std::string name, const void* observer);
  // The same for each pair, with a prefix: add_observers("main",
  // model.namedlinks(true)) names "main/predictor" and so on.
  void add_observers(
      std::string_view prefix,
      const std::vector<std::pair<std::string, Link*>>& observers);

  // Writes the values, each name with the observer's and a slash in front if
  // there is one. Variables lose their graph unless
  // config().keep_graph_on_report. ValueError, and nothing is written, when
  // the observer was not added.
  void report(const Observation& values, const Link* observer);
  void report(const Observation& values, const void* observer = nullptr);

  Scope scope(Observation& observation) {
    return {*this, observation, Scope::Reach::kThread};
  }
  // The same with the reporter's own observation.
  Scope scope() { return scope(own_); }
  // Makes it the reporter of all threads that have none of their own, such as
  // workers: they write to the observation one after another. It may be read
  // when the scope has gone. Scopes nest, and end in reverse order.
  Scope global_scope(Observation& observation) {
    return {*this, observation, Scope::Reach::kGlobal};
  }

  // What is written to at present.
  Observation& observation() { return *current_; }
  const Observation& observation() const { return *current_; }

 private:
  std::unordered_map<const void*, std::string> names_;
  Observation own_;
  Observation* current_ = &own_;
};

// This thread's current reporter, else that of all threads. ValueError when
// there is none.
Reporter& get_current_reporter();

// Reports to the current reporter; without one it does nothing. In a link:
//   report({{"loss", loss}, {"accuracy", accuracy}}, this);
void report(const Observation& values, const Link* observer);
void report(const Observation& values, const void* observer = nullptr);

// Lets the current reporter write to another observation. ValueError when
// there is no current reporter.
Reporter::Scope report_scope(Observation& observation);

}  // namespace catena
