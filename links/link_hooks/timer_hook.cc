#include "catena/links/link_hooks/timer_hook.h"

#include <iostream>

#include "catena/array/core/device.h"
#include "catena/autograd/class_name.h"
#include "catena/links/link.h"

namespace catena::link_hooks {

void TimerHook::forward_preprocess(Link& link, const Variables&) {
  synchronize(link.device());
  timer_.start(&link);
}

void TimerHook::forward_postprocess(Link& link, const Variables&) {
  synchronize(link.device());
  std::string label = class_name(typeid(link));
  if (!link.name().empty()) label += "(" + link.name() + ")";
  timer_.stop(&link, label);
}

void TimerHook::print_report(std::ostream& os) const {
  timer_.print_report(os, "LinkName");
}

void TimerHook::print_report() const { print_report(std::cout); }

}  // namespace catena::link_hooks
