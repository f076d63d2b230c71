// The files of the console from manager/page, embedded in the program by embed.cmake.
#pragma once

#include <cstddef>

namespace aliquot {

struct PageFile {
  const char* path;  // "/queue.js"; "/" is the page itself
  const char* type;
  const char* text;
};

extern const PageFile kPageFiles[];
extern const std::size_t kPageFileCount;

}  // namespace aliquot
