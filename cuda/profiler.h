#pragma once

#include <string>

// Control of NVIDIA's profilers, and named ranges for them.
namespace catena::cuda::profiler {

// Start and stop recording in an attached profiler (nsys or ncu with
// --capture-range=cudaProfilerApi). Throw CudaError.
void start();
void stop();

// Open a named NVTX range of this thread, and close the innermost one. Almost
// free without a profiler.
void push_range(const std::string& name);
void pop_range() noexcept;

}  // namespace catena::cuda::profiler

namespace catena::cuda {

// Profiles a scope: start() and stop().
class Profile {
 public:
  Profile() { profiler::start(); }
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
};

// A named range for a scope; ranges nest.
class ProfileRange {
 public:
  explicit ProfileRange(const std::string& name) { profiler::push_range(name); }
  ~ProfileRange() { profiler::pop_range(); }
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace catena::cuda
