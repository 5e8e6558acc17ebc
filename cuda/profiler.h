#pragma once

#include <string>

// What NVIDIA's profilers record of a program, and the names they show.
namespace catena::cuda::profiler {

// Makes an attached profiler (nsys or ncu with --capture-range=cudaProfilerApi)
// record from here on, or stop. CudaError.
void start();
void stop();

}  // namespace catena::cuda::profiler

namespace catena::cuda {

// Records a block: start() and stop().
class Profile {
 public:
  Profile() { profiler::start(); }
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
};

// A named range of this thread on the profiler's time line (NVTX), for a block;
// ranges nest. Costs next to nothing without a profiler.
class ProfileRange {
 public:
  explicit ProfileRange(const std::string& name);
  ~ProfileRange();
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace catena::cuda
