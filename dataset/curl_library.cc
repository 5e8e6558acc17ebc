#include "catena/dataset/curl_library.h"

#include "catena/array/error.h"

// The name of a shared library, defined by the target @curl if programs do not
// link it.
#ifdef CATENA_CURL_LIBRARY
#include <dlfcn.h>
#endif

namespace catena::dataset {
namespace {

#ifdef CATENA_CURL_LIBRARY

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    raise<IoError>("libcurl cannot be loaded: ", dlerror());
}

CurlLibrary load() {
  void* library = dlopen(CATENA_CURL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    raise<IoError>("libcurl cannot be loaded: ", dlerror());
  CurlLibrary curl{};
  find(library, "curl_global_init", curl.global_init);
  find(library, "curl_easy_init", curl.easy_init);
  find(library, "curl_easy_cleanup", curl.easy_cleanup);
  find(library, "curl_easy_setopt", curl.easy_setopt);
  find(library, "curl_easy_perform", curl.easy_perform);
  find(library, "curl_easy_getinfo", curl.easy_getinfo);
  find(library, "curl_easy_strerror", curl.easy_strerror);
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
