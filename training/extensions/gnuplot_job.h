#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace catena::training::extensions {

// Whether gnuplot is on the PATH.
bool has_gnuplot();

// A run of gnuplot in the background, on a script of ours. The image takes
// its name when it is complete.
class GnuplotJob {
 public:
  // `script` draws to the output that is set already. IoError, starting with
  // `operation`, when the run cannot be started.
  GnuplotJob(std::string_view operation, const std::string& script,
             const std::string& image);
  ~GnuplotJob();
  GnuplotJob(const GnuplotJob&) = delete;
  GnuplotJob& operator=(const GnuplotJob&) = delete;

  // Whether it is over, and the image, if gnuplot made one, in its place.
  bool is_done();
  void wait();

 private:
  void finish(int status);

  std::string image_;
  std::string folder_;  // of the script and the image in the making
  pid_t process_ = -1;
};

// An image that is drawn anew, in the background, as data come in. Where
// gnuplot is missing one line on standard error says so, and nothing is drawn.
class BackgroundPlot {
 public:
  // Writes a script; empty while there is nothing to draw.
  using MakeScript = std::function<std::string()>;

  BackgroundPlot(std::string operation,
                 std::chrono::milliseconds shortest_pause)
      : operation_(std::move(operation)), shortest_pause_(shortest_pause) {}

  void begin(std::string image);
  // There are new data. An image is begun unless one is in the making or the
  // last was begun a short while ago.
  void update(const MakeScript& make_script);
  // There are new data, which may wait.
  void mark_changed() { is_current_ = false; }
  // Waits for the image of the last data.
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

// Text as gnuplot reads it between double quotes.
std::string gnuplot_string(const std::string& text);

}  // namespace catena::training::extensions
