#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::dataset {

// The root folder of datasets: the argument of set_dataset_root(), else the
// environment variable CATENA_DATASET_ROOT, else ~/.catena/dataset. Throws
// ValueError when none of these is set.
std::string get_dataset_root();
void set_dataset_root(std::string path);

// The root folders, the first that of get_dataset_root(), the second that of
// Chainer, ~/.chainer/dataset, if it exists: files that Chainer has downloaded
// are found there.
std::vector<std::string> dataset_roots();

// Whether a missing folder is made.
enum class CreateDirectory { kNo, kYes };

// The folder of a dataset below the root; created by default. Throws IoError
// when that fails.
std::string get_dataset_directory(
    std::string_view dataset_name,
    CreateDirectory create = CreateDirectory::kYes);

}  // namespace catena::dataset
