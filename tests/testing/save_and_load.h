#pragma once

#include <string>
#include <string_view>

#include "catena/serializers/archive.h"
#include "catena/serializers/hdf5.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {

// Calls saver(path, src) and then loader(path, dst), with the path of
// `filename` in a temporary folder.
template <class Source, class Target, class Saver, class Loader>
void save_and_load(Source& src, Target& dst, std::string_view filename,
                   const Saver& saver, const Loader& loader) {
  const TempFolder folder;
  const std::string path = folder.file(filename);
  saver(path, src);
  loader(path, dst);
}

// The same through a .npz file.
template <serializers::Serializable Source, serializers::Serializable Target>
void save_and_load_npz(Source& src, Target& dst) {
  save_and_load(
      src, dst, "saved.npz",
      [](const std::string& path, Source& object) {
        serializers::save_npz(path, object);
      },
      [](const std::string& path, Target& object) {
        serializers::load_npz(path, object);
      });
}

// The same through an HDF5 file.
template <serializers::Serializable Source, serializers::Serializable Target>
void save_and_load_hdf5(Source& src, Target& dst) {
  save_and_load(
      src, dst, "saved.h5",
      [](const std::string& path, Source& object) {
        serializers::save_hdf5(path, object);
      },
      [](const std::string& path, Target& object) {
        serializers::load_hdf5(path, object);
      });
}

}  // namespace catena::testing
