#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/io/private_folder.h"

namespace catena::training::extensions {

// Whether gnuplot is on the PATH.
bool has_gnuplot();

// Runs gnuplot in the background. The image is renamed to its final name when
// it is complete.
class GnuplotJob {
 public:
  // `script` draws to the preset output. Throws IoError, starting with
  // `operation`, when gnuplot cannot be started.
  GnuplotJob(std::string_view operation, const std::string& script,
             const std::string& image);
  ~GnuplotJob();
  GnuplotJob(const GnuplotJob&) = delete;
  GnuplotJob& operator=(const GnuplotJob&) = delete;

  // Whether gnuplot has finished, with the image, if any, at its final path.
  bool is_done();
  void wait();

 private:
  void finish(int status);

  std::string image_;
  array::PrivateFolder folder_;  // for the script and the unfinished image
  pid_t process_ = -1;
};

// An image that is redrawn in the background as data arrives. Without gnuplot,
// prints one line to standard error and draws nothing.
class BackgroundPlot {
 public:
  // Returns a script; empty if there is nothing to draw.
  using MakeScript = std::function<std::string()>;

  BackgroundPlot(std::string operation,
                 std::chrono::milliseconds shortest_pause)
      : operation_(std::move(operation)), shortest_pause_(shortest_pause) {}

  void begin(std::string image);
  // There is new data: starts an image unless one is being drawn or the last
  // one was started too recently.
  void update(const MakeScript& make_script);
  // There is new data, which need not be drawn yet.
  void mark_changed() { is_current_ = false; }
  // Draws the latest data and waits for the image.
  void finish(const MakeScript& make_script);

 private:
  void start(const MakeScript& make_script);

  std::string operation_;
  std::chrono::milliseconds shortest_pause_;
  std::string image_;
  bool is_current_ = true;  // whether the image shows all data
  std::chrono::steady_clock::time_point last_start_;
  std::unique_ptr<GnuplotJob> job_;
};

}  // namespace catena::training::extensions
