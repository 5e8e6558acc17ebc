#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "catena/array/random/random.h"

namespace catena::array::random {

// Where in the streams of generators the draws of a thread began, to draw the
// same numbers again: for functions that are computed twice. In work that is
// captured, the places are those of the running launch.
class DrawnPlaces {
 public:
  // Until it is destroyed, the draws of this thread are noted.
  class Recording;
  // Until it is destroyed, the draws of this thread give the numbers of those
  // that were noted, in the same order, and leave all generators as they are. A
  // draw of another device or size, or one too many, throws ValueError.
  class Repeating;

  bool empty() const { return places_.empty(); }
  // Whether this thread's draws are noted or repeated. What draws by other
  // means than a Generator must not do so then.
  static bool are_noted();

  // For generators: where a draw of that many counters begins.
  struct Next {
    // To be set by the caller, unless the draw is repeated.
    std::shared_ptr<GeneratorState> place;
    bool is_repeated;
  };
  static Next next(Device device, int64_t count);

 private:
  struct Place {
    Device device;
    int64_t count;
    std::shared_ptr<GeneratorState> state;
  };
  class Scope;

  std::vector<Place> places_;
};

// The innermost scopes of a thread come first; what one repeats is new to those
// inside it, and nothing to those outside.
class DrawnPlaces::Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 protected:
  Scope(DrawnPlaces& places, bool repeats);
  ~Scope();

  DrawnPlaces& places_;
  size_t repeated_ = 0;

 private:
  friend class DrawnPlaces;

  Next repeat(Device device, int64_t count);

  bool repeats_;
  Scope* outer_;
};

class [[nodiscard]] DrawnPlaces::Recording : public Scope {
 public:
  explicit Recording(DrawnPlaces& places) : Scope(places, false) {}
};

class [[nodiscard]] DrawnPlaces::Repeating : public Scope {
 public:
  explicit Repeating(DrawnPlaces& places) : Scope(places, true) {}
  // Whether all draws have been repeated.
  bool is_complete() const { return repeated_ == places_.places_.size(); }
};

}  // namespace catena::array::random
