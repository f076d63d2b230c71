// Reads a newc archive back, for tests: strict, throws on the first thing that is not as it should be.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace aliquot {

struct ReadEntry {
  unsigned long mode = 0;
  std::string content;
};

inline std::map<std::string, ReadEntry> read_newc(std::string_view archive) {
  std::map<std::string, ReadEntry> entries;
  for (std::size_t at = 0;;) {
    if (archive.substr(at, 6) != "070701" || archive.size() - at < 110)
      throw std::runtime_error("no header");
    const auto field = [&](std::size_t index) {
      return std::stoul(std::string(archive.substr(at + 6 + 8 * index, 8)), nullptr, 16);
    };
    const std::size_t size = field(6), name_size = field(11);
    const std::string name(archive.substr(at + 110, name_size - 1));
    const std::size_t content_at = (at + 110 + name_size + 3) / 4 * 4;
    if (name == "TRAILER!!!") return entries;
    if (!entries.emplace(name, ReadEntry{field(1), std::string(archive.substr(content_at, size))}).second) {
      throw std::runtime_error("twice: " + name);
    }
    at = (content_at + size + 3) / 4 * 4;
  }
}

}  // namespace aliquot
