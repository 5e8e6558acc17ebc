#pragma once

#include <sys/types.h>

#include <string>

namespace catena::training::extensions {

// Whether gnuplot is on the PATH.
bool has_gnuplot();

// A run of gnuplot in the background, on a script of ours. The image takes
// its name when it is complete.
class GnuplotJob {
 public:
  // `script` draws to the output that is set already. IoError when the run
  // cannot be started.
  GnuplotJob(const std::string& script, const std::string& image);
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

// Text as gnuplot reads it between double quotes.
std::string gnuplot_string(const std::string& text);

}  // namespace catena::training::extensions
