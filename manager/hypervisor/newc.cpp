#include "manager/hypervisor/newc.hpp"

#include <cstdio>
#include <set>

namespace aliquot {
namespace {

constexpr std::uint32_t kDirectory = 0040755;

void pad_to(std::string& out, std::size_t boundary) {
  out.append((boundary - out.size() % boundary) % boundary, '\0');
}

void append_entry(std::string& out, std::uint32_t inode, const NewcEntry& entry) {
  const std::uint32_t links = (entry.mode & 0170000) == 0040000 ? 2 : 1;
  char header[111];
  std::snprintf(header, sizeof header, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", inode,
                entry.mode, 0U, 0U, links, 0U, static_cast<std::uint32_t>(entry.content.size()), 0U, 0U, 0U,
                0U, static_cast<std::uint32_t>(entry.path.size() + 1), 0U);
  out.append(header, 110);
  out.append(entry.path);
  out.push_back('\0');
  pad_to(out, 4);
  out.append(entry.content);
  pad_to(out, 4);
}

}  // namespace

std::string newc_archive(const std::vector<NewcEntry>& entries) {
  std::set<std::string> named;
  for (const NewcEntry& entry : entries) named.insert(entry.path);
  std::string out;
  std::uint32_t inode = 1;
  for (const NewcEntry& entry : entries) {
    for (std::size_t slash = entry.path.find('/'); slash != std::string::npos;
         slash = entry.path.find('/', slash + 1)) {
      const std::string parent = entry.path.substr(0, slash);
      if (named.insert(parent).second) append_entry(out, inode++, {parent, kDirectory, {}});
    }
    append_entry(out, inode++, entry);
  }
  append_entry(out, 0, {"TRAILER!!!", 0, {}});
  pad_to(out, 512);
  return out;
}

}  // namespace aliquot
