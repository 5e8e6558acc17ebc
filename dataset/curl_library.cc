#include "catena/dataset/curl_library.h"

#include "catena/array/core/error.h"

// The name of a shared library, defined by the target @curl if programs do not
// link it.
#ifdef CATENA_CURL_LIBRARY
#include "catena/dataset/loaded_library.h"
#endif

namespace catena::dataset {
namespace {

#ifdef CATENA_CURL_LIBRARY

CurlLibrary load() {
  const LoadedLibrary library("libcurl", CATENA_CURL_LIBRARY);
  CurlLibrary curl{};
  library.find("curl_global_init", curl.global_init);
  library.find("curl_easy_init", curl.easy_init);
  library.find("curl_easy_cleanup", curl.easy_cleanup);
  library.find("curl_easy_setopt", curl.easy_setopt);
  library.find("curl_easy_perform", curl.easy_perform);
  library.find("curl_easy_getinfo", curl.easy_getinfo);
  library.find("curl_easy_strerror", curl.easy_strerror);
  return curl;
}

#else

CurlLibrary load() {
  return {.global_init = curl_global_init,
          .easy_init = curl_easy_init,
          .easy_cleanup = curl_easy_cleanup,
          .easy_setopt = curl_easy_setopt,
          .easy_perform = curl_easy_perform,
          .easy_getinfo = curl_easy_getinfo,
          .easy_strerror = curl_easy_strerror};
}

#endif

CurlLibrary initialize() {
  const CurlLibrary curl = load();
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    raise<IoError>("libcurl cannot be initialized");
  }
  return curl;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary curl = initialize();
  return curl;
}

}  // namespace catena::dataset
