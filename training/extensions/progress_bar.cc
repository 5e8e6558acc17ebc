#include "catena/training/extensions/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "catena/array/core/error.h"
#include "catena/training/extensions/terminal.h"
#include "catena/training/number_text.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr size_t kMaxMarks = 100;
constexpr int64_t kLongestBar = 10000;
constexpr std::chrono::milliseconds kShortestPause(100);

std::string fixed(double value, int precision) {
  return number_text(value, precision, std::chars_format::fixed);
}

std::string right(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// "1 day, 2:03:04", like Python's timedelta.
std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  const auto total = static_cast<int64_t>(std::min(seconds, 1e12));
  const int64_t days = total / 86'400;
  const auto two = [](int64_t value) {
    return (value < 10 ? "0" : "") + std::to_string(value);
  };
  const std::string clock =
      str(total / 3'600 % 24, ":", two(total / 60 % 60), ":", two(total % 60));
  return days == 0 ? clock : str(days, days == 1 ? " day, " : " days, ", clock);
}

}  // namespace

ProgressBar::ProgressBar(const ProgressBarOptions& options)
    : options_(options) {
  if (options.update_interval < 1 || options.bar_length < 1) {
    raise<ValueError>(
        "ProgressBar: expected update_interval and bar_length >= 1, got ",
        options.update_interval, " and ", options.bar_length);
  }
  if (options.bar_length > kLongestBar) {
    raise<ValueError>("ProgressBar: expected bar_length <= ", kLongestBar,
                      ", got ", options.bar_length);
  }
  if (const auto& length = options.training_length) {
    const bool known = length->unit == "epoch" || length->unit == "iteration";
    if (!known || !(length->period > 0)) {
      raise<ValueError>(
          "ProgressBar: expected a training_length > 0 in 'epoch' or "
          "'iteration', got ",
          length->period, " '", length->unit, "'");
    }
  }
}

void ProgressBar::initialize(Trainer& trainer) {
  length_ = options_.training_length
                ? options_.training_length
                : trainer.stop_trigger().get_training_length();
}

void ProgressBar::operator()(Trainer& trainer) {
  if (trainer.updater().iteration() % options_.update_interval != 0) return;
  const Terminal terminal(options_.out);
  if (terminal.is_redirected()) return;
  const Clock::time_point now = Clock::now();
  const bool is_early = drawn_ && terminal.has_cursor() &&
                        now - recent_.back().time < kShortestPause;
  if (!is_early) draw(trainer, now);
}

void ProgressBar::draw(const Trainer& trainer, Clock::time_point now) {
  const Updater& updater = trainer.updater();
  const Mark mark{updater.iteration(), updater.epoch_detail(), now};
  recent_.push_back(mark);
  if (recent_.size() > kMaxMarks) recent_.pop_front();

  std::string text;
  int lines = 3;
  std::string status = right(str(mark.iteration), 10) + " iter, " +
                       str(updater.epoch()) + " epoch";
  if (length_) {
    const double done = length_->unit == "epoch"
                            ? mark.epoch_detail
                            : static_cast<double>(mark.iteration);
    text += bar("     total", done / length_->period);
    ++lines;
    status += " / " + number_text(length_->period) + " " + length_->unit + "s";
  }
  text += bar("this epoch", mark.epoch_detail - std::floor(mark.epoch_detail));
  text += status + "\n" + speed(mark);

  const Terminal terminal(options_.out);
  if (terminal.has_cursor()) {
    // The cursor moves back, so that the next output replaces the bar.
    terminal.out() << kClearToEnd << text << "\033[" << lines << "A";
  } else {
    terminal.out() << text;
  }
  terminal.out() << std::flush;
  drawn_ = true;
}

std::string ProgressBar::bar(std::string_view label, double rate) const {
  rate = std::clamp(rate, 0.0, 1.0);
  const auto marks =
      static_cast<size_t>(rate * static_cast<double>(options_.bar_length));
  return str(label, " [", std::string(marks, '#'),
             std::string(options_.bar_length - marks, '.'), "] ",
             right(fixed(100 * rate, 2), 5), "%\n");
}

std::string ProgressBar::speed(const Mark& now) const {
  const Mark& old = recent_.front();
  const double seconds =
      std::chrono::duration<double>(now.time - old.time).count();
  const auto iterations = static_cast<double>(now.iteration - old.iteration);
  std::string text =
      right(seconds > 0 ? number_text(iterations / seconds, 5) : "inf", 10) +
      " iters/sec.";
  if (length_) {
    const bool epochs = length_->unit == "epoch";
    const double done =
        epochs ? now.epoch_detail - old.epoch_detail : iterations;
    const double left =
        length_->period -
        (epochs ? now.epoch_detail : static_cast<double>(now.iteration));
    text += " Estimated time to finish: " +
            duration_text(std::max(left, 0.0) * seconds / done) + ".";
  }
  return text + "\n";
}

void ProgressBar::finalize() {
  const Terminal terminal(options_.out);
  if (drawn_ && terminal.has_cursor()) {
    terminal.out() << kClearToEnd << std::flush;
  }
}

}  // namespace catena::training::extensions
