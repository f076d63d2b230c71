// Where the traces stand that are no part of the project: in ../shared, or where ALIQUOT_SHARED says.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace aliquot::test {

inline std::filesystem::path shared_file(const std::filesystem::path& name) {
  const char* elsewhere = std::getenv("ALIQUOT_SHARED");
  if (elsewhere) return elsewhere / name;
  return std::filesystem::path(ALIQUOT_SOURCE_DIR).parent_path() / "shared" / name;
}

}  // namespace aliquot::test
