// test/golden/config: each malformed file gives exactly the one fault that stands beside it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "test/unit/config/support.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(GoldenConfig, EveryMalformedFileGivesItsOneFault) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(ALIQUOT_SOURCE_DIR "/test/golden/config")) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  }
  ASSERT_GE(files.size(), 60u);
  for (const fs::path& file : files) {
    const auto loaded = read_settings(content(file), file.filename(), test::known_spec);
    ASSERT_FALSE(loaded) << file << " is accepted";
    EXPECT_EQ(loaded.error().size(), 1u) << file;
    fs::path expected = file;
    EXPECT_EQ(as_error(loaded.error()).message + "\n", content(expected.replace_extension(".expected")));
  }
}

}  // namespace
}  // namespace aliquot
