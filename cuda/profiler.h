#pragma once

#include <string>

// What NVIDIA's profilers record of a program, and the names they show.
namespace catena::cuda::profiler {

// Makes an attached profiler (nsys or ncu with --capture-range=cudaProfilerApi)
// record from here on, or stop. CudaError.
void start();
void stop();

// Opens a named range of this thread on the profiler's time line (NVTX), and
// closes the one opened last. Costs next to nothing without a profiler.
void push_range(const std::string& name);
void pop_range() noexcept;

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

// A range for a block; ranges nest.
class ProfileRange {
 public:
  explicit ProfileRange(const std::string& name) { profiler::push_range(name); }
  ~ProfileRange() { profiler::pop_range(); }
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace catena::cuda
