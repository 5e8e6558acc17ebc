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

// Collects named values to monitor, such as losses and activation statistics.
// Observers, usually links, are registered with a name that prefixes what they
// report:
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
// Trainer and evaluator create reporters that know all links of their models.
class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Until destroyed, makes a reporter this thread's current one, writing to an
  // observation. Scopes nest.
  class [[nodiscard]] Scope {
   public:
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class Reporter;
    friend Scope report_scope(Observation& observation);
    // Which reports the scope redirects: those of its reporter only, of this
    // thread, or of all threads without a reporter.
    enum class Reach : uint8_t { kCurrent, kThread, kGlobal };
    Scope(Reporter& reporter, Observation& observation, Reach reach);

    Reporter& reporter_;
    Observation* previous_;
    Reporter* previous_global_ = nullptr;
    Reach reach_;
  };

  // Names an observer, which is identified by its address.
  void add_observer(std::string name, const Link& observer);
  void add_observer(std::string name, const void* observer);
  // Names several observers with a prefix: add_observers("main",
  // model.namedlinks(true)) names "main/predictor" and so on.
  void add_observers(
      std::string_view prefix,
      const std::vector<std::pair<std::string, Link*>>& observers);

  // Writes the values, with names prefixed by the observer's name and a slash
  // if there is an observer. Variables lose their graph unless
  // config().keep_graph_on_report. A link that was not added but contains some
  // that were, such as a model whose parts have an optimizer each, is "main" if
  // nothing else is. Throws ValueError, without writing anything, when another
  // observer was not added.
  void report(const Observation& values, const Link* observer);
  void report(const Observation& values, const void* observer = nullptr);

  // Collects what is reported in this observation until the end of the scope.
  Scope scope(Observation& observation) {
    return {*this, observation, Scope::Reach::kThread};
  }
  // scope() with the reporter's own observation.
  Scope scope() { return scope(own_); }
  // Makes this the reporter of all threads without their own, such as workers.
  // Writes to the observation are serialized; read it after the scope has
  // ended. Scopes nest, and must end in reverse order.
  Scope global_scope(Observation& observation) {
    return {*this, observation, Scope::Reach::kGlobal};
  }

  // The observation currently written to.
  Observation& observation() { return *current_; }
  const Observation& observation() const { return *current_; }

 private:
  void add_model(const Link& observer);

  std::unordered_map<const void*, std::string> names_;
  Observation own_;
  Observation* current_ = &own_;
};

// This thread's current reporter, else the global one. Throws ValueError when
// there is none.
Reporter& get_current_reporter();

// The same, or null when there is none.
Reporter* find_current_reporter();

// Reports to the current reporter, if there is one. In a link:
//   report({{"loss", loss}, {"accuracy", accuracy}}, this);
void report(const Observation& values, const Link* observer);
void report(const Observation& values, const void* observer = nullptr);

// Redirects the current reporter to another observation. Throws ValueError when
// there is no current reporter.
Reporter::Scope report_scope(Observation& observation);

}  // namespace catena
