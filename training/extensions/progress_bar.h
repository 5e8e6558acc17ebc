#pragma once

#include <chrono>
#include <deque>
#include <iosfwd>
#include <optional>
#include <string>

#include "catena/training/extension.h"

namespace catena::training::extensions {

struct ProgressBarOptions {
  // Defaults to the stop trigger's.
  std::optional<TrainingLength> training_length = std::nullopt;
  // Iterations from one update to the next, which also takes a tenth of a
  // second at least on a terminal.
  int64_t update_interval = 100;
  int64_t bar_length = 50;
  // Where to; null stands for standard output. It must outlive the extension.
  std::ostream* out = nullptr;
};

// Shows the progress of training as a whole and of its epoch, the speed and the
// time that is left. On standard output it appears only where that is a
// terminal; on other streams each update is a few more lines.
class ProgressBar final : public Extension {
 public:
  // ValueError unless update_interval >= 1 and bar_length >= 1, and the length
  // of training, if it is given, is positive and in epochs or iterations.
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
