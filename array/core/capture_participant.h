#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catena/array/core/device.h"

// For those whose state a captured step of training reads or changes on the
// host: optimizers, models, generators and others each say here what a capture
// needs to know of them, and training/captured_steps.h asks them in turn.
// docs/architecture.md ("Who keeps what in a capture") has a table of them.
namespace catena {

class WorkRecord;

// What one graph keeps of a participant.
class CapturedPart {
 public:
  virtual ~CapturedPart() = default;

  // Calls the step that is captured, once, and notes what launches need.
  virtual void capture(const std::function<void()>& step) = 0;
  // Asks for what after_launch() needs, since a launch can't be taken back.
  virtual void before_launch() {}
  // Puts what a launch has computed where the step would have put it.
  virtual void after_launch() = 0;
  // Whether it has put memory there that another launch would overwrite, so
  // that there must be none.
  virtual bool is_spent() const { return false; }
};

// One of those that take part in a captured step. What all have in common are
// steps that change nothing on the host, the same each time.
class CaptureParticipant {
 public:
  virtual ~CaptureParticipant() = default;

  // Why launches would not do all that step after step does; empty if they do.
  virtual std::string obstacle() const { return {}; }
  // Appends what a capture depends on, such as addresses of arrays: when it
  // changes, there must be a new capture.
  virtual void append_key(std::vector<uint64_t>& /*key*/) const {}

  // Calls an ordinary step, and forbids its capture in the record if it changes
  // what a launch would not.
  virtual void record(const std::function<void()>& step,
                      WorkRecord& /*record*/) const {
    step();
  }
  // Calls an ordinary step between launches, which go on from where it ends.
  virtual void carry_on(const std::function<void()>& step) const { step(); }

  // Notes, before the capture of a device's work, what the host's part of the
  // step changes; the function that it returns puts that back. Null if nothing.
  virtual std::function<void()> save(Device /*device*/) const { return {}; }
  // For the next graph; null if it keeps nothing.
  virtual std::unique_ptr<CapturedPart> part() const { return nullptr; }
};

using CaptureParticipants = std::vector<std::unique_ptr<CaptureParticipant>>;

}  // namespace catena
