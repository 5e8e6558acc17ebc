#pragma once

#include <curl/curl.h>

namespace catena::dataset {

// libcurl's functions that catena calls. The system's library is loaded at the
// first download: with the thirty that it needs, loading it takes a program
// longer than all the rest of its start.
struct CurlLibrary {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_perform) easy_perform;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
};

// Loads and initializes the library at the first call. Throws IoError when that
// fails; the next call tries again.
const CurlLibrary& curl_library();

}  // namespace catena::dataset
