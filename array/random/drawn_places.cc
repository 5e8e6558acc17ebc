#include "catena/array/random/drawn_places.h"

#include "catena/array/core/error.h"

namespace catena::array::random {
namespace {

// A DrawnPlaces::Scope, which is private.
constinit thread_local void* innermost = nullptr;

}  // namespace

DrawnPlaces::Scope::Scope(DrawnPlaces& places, bool repeats)
    : places_(places),
      repeats_(repeats),
      outer_(static_cast<Scope*>(innermost)) {
  innermost = this;
}

DrawnPlaces::Scope::~Scope() { innermost = outer_; }

DrawnPlaces::Next DrawnPlaces::Scope::repeat(Device device, int64_t count) {
  const std::vector<Place>& places = places_.places_;
  if (repeated_ == places.size()) {
    raise<ValueError>(
        "random: expected a function that is computed again to draw as often "
        "as the first time, which was ",
        places.size(), " times, got one more draw, on ", device);
  }
  const Place& place = places[repeated_];
  if (place.device != device || place.count != count) {
    raise<ValueError>(
        "random: expected a function that is computed again to draw what it "
        "drew the first time, got draw ",
        repeated_, " of ", count, " counters on ", device, " and not of ",
        place.count, " on ", place.device);
  }
  ++repeated_;
  return {place.state, /*is_repeated=*/true};
}

bool DrawnPlaces::are_noted() { return innermost != nullptr; }

DrawnPlaces::Next DrawnPlaces::next(Device device, int64_t count) {
  auto* const first = static_cast<Scope*>(innermost);
  Scope* scope = first;
  while (scope != nullptr && !scope->repeats_) scope = scope->outer_;
  const Next next = scope != nullptr ? scope->repeat(device, count)
                                     : Next{std::make_shared<GeneratorState>(),
                                            /*is_repeated=*/false};
  for (Scope* one = first; one != scope; one = one->outer_) {
    one->places_.places_.push_back({device, count, next.place});
  }
  return next;
}

}  // namespace catena::array::random
