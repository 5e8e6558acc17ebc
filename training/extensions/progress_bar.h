#pragma once

#include <chrono>
#include <deque>
#include <iosfwd>
#include <optional>
#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

struct ProgressBarOptions {
  NamedFieldsOnly keywords = {};
  // Defaults to the training length of the stop trigger.
  std::optional<TrainingLength> training_length = std::nullopt;
  // Iterations between updates; on a terminal, updates are also at least 0.1 s
  // apart.
  int64_t update_interval = 100;
  int64_t bar_length = 50;
  // The output stream, which must outlive the extension; null: standard output.
  std::ostream* out = nullptr;
};

// Shows the progress of training and of the current epoch, the speed and the
// remaining time. Standard output gets a bar only if it is a terminal; on other
// streams each update appends a few lines.
class ProgressBar final : public Extension {
 public:
  // Throws ValueError unless update_interval >= 1 and bar_length is from 1 to
  // 10000, and training_length, if given, is positive and in epochs or
  // iterations.
  explicit ProgressBar(const ProgressBarOptions& options = {});

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "ProgressBar"; }
  void initialize(Trainer& trainer) override;
  // Removes the bar.
  void finalize() override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Mark {
    int64_t iteration;
    double epoch_detail;
    Clock::time_point time;
  };

  void draw(const Trainer& trainer, Clock::time_point now);
  std::string bar(std::string_view label, double rate) const;
  std::string speed(const Mark& now) const;

  ProgressBarOptions options_;
  std::optional<TrainingLength> length_;
  std::deque<Mark> recent_;
  bool drawn_ = false;
};

}  // namespace catena::training::extensions
