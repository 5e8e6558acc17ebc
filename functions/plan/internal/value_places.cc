#include "catena/functions/plan/internal/value_places.h"

#include <algorithm>

#include "catena/array/onednn/description.h"
#include "catena/array/onednn/primitive.h"

namespace catena::functions {
namespace {

namespace onednn = cpu::onednn;
using dnnl::memory;
using Source = StepArgument::Source;

}  // namespace

ValuePlaces::ValuePlaces(const TracedGraph& graph, StepList& steps)
    : graph_(graph), steps_(steps), places_(graph.values.size()) {
  for (const TracedValue& value : graph.values) {
    has_array_.push_back(value.is_leaf());
    remaining_.push_back(value.uses);
  }
}

memory::desc ValuePlaces::plain(int value) const {
  const TracedValue& v = graph_.values[value];
  return onednn::describe(v.shape, v.dtype);
}

memory::desc ValuePlaces::layout_of(int value) const {
  return is_in_slot(value) ? places_[value].front().desc : plain(value);
}

StepArgument ValuePlaces::in_place(int id, const Place& place) {
  return {.id = id,
          .source = Source::kSlot,
          .number = place.slot,
          .desc = place.desc};
}

StepArgument ValuePlaces::argument(int id, int value) const {
  if (is_in_slot(value)) return in_place(id, places_[value].front());
  return {.id = id,
          .source = Source::kArray,
          .number = value,
          .desc = plain(value)};
}

StepArgument ValuePlaces::argument_in(int id, int value,
                                      const memory::desc& wanted) {
  for (const Place& place : places_[value]) {
    if (place.desc == wanted) return in_place(id, place);
  }
  if (has_array_[value] && plain(value) == wanted) {
    return {
        .id = id, .source = Source::kArray, .number = value, .desc = wanted};
  }
  places_[value].push_back(reordered_copy(value, wanted));
  return in_place(id, places_[value].back());
}

void ValuePlaces::to_array(int value) {
  if (has_array_[value]) return;
  StepArgument from = argument(DNNL_ARG_FROM, value);
  Step step = reorder(from.desc, plain(value), value);
  step.arguments = {std::move(from),
                    {.id = DNNL_ARG_TO,
                     .source = Source::kResult,
                     .number = value,
                     .desc = plain(value)}};
  steps_.add(std::move(step));
  has_array_[value] = true;
}

Step ValuePlaces::reorder(const memory::desc& from, const memory::desc& to,
                          int value) const {
  const dnnl::reorder::primitive_desc description(onednn::engine(), from,
                                                  onednn::engine(), to);
  return {.description = {.functions = "reorder",
                          .kind = "reorder",
                          .shape = graph_.values[value].shape},
          .primitive = dnnl::reorder(description)};
}

ValuePlaces::Place ValuePlaces::reordered_copy(int value,
                                               const memory::desc& wanted) {
  StepArgument from = argument(DNNL_ARG_FROM, value);
  Step step = reorder(from.desc, wanted, value);
  const Place place = {steps_.add_slot(static_cast<int64_t>(wanted.get_size())),
                       wanted};
  step.arguments = {std::move(from), in_place(DNNL_ARG_TO, place)};
  steps_.add(std::move(step));
  return place;
}

StepArgument ValuePlaces::new_slot(int id, int value,
                                   const memory::desc& desc) {
  places_[value].push_back(
      {steps_.add_slot(static_cast<int64_t>(desc.get_size())), desc});
  return in_place(id, places_[value].back());
}

StepArgument ValuePlaces::add_to_residual(int residual, int y,
                                          const memory::desc& desc) {
  use(residual);
  const std::vector<Place>& places = places_[residual];
  const auto found = std::ranges::find_if(
      places, [&](const Place& place) { return place.desc == desc; });
  const bool is_free = remaining_[residual] == 0 && found != places.end();
  const Place sum = is_free ? *found : reordered_copy(residual, desc);
  places_[y].push_back(sum);
  return in_place(DNNL_ARG_DST, sum);
}

}  // namespace catena::functions
