#include "manager/hypervisor/newc.hpp"

#include <cstdio>

namespace aliquot {
namespace {

constexpr std::uint32_t kDirectory = 0040000;

}  // namespace

Result<void> NewcWriter::put(std::string_view bytes) {
  at_ += bytes.size();
  return sink_(bytes);
}

Result<void> NewcWriter::pad_to(std::size_t boundary) {
  return put(std::string((boundary - at_ % boundary) % boundary, '\0'));
}

Result<void> NewcWriter::put_head(const NewcHead& entry, std::uint32_t inode) {
  if (auto done = pad_to(4); !done) return done;
  const std::uint32_t links = (entry.mode & 0170000) == kDirectory ? 2 : 1;
  char header[111];
  std::snprintf(header, sizeof header, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", inode,
                entry.mode, 0U, 0U, links, 0U, static_cast<std::uint32_t>(entry.size), 0U, 0U, 0U, 0U,
                static_cast<std::uint32_t>(entry.path.size() + 1), 0U);
  if (auto done = put(std::string(header, 110) + entry.path + '\0'); !done) return done;
  return pad_to(4);
}

Result<void> NewcWriter::begin(const NewcHead& entry) {
  for (std::size_t slash = entry.path.find('/'); slash != std::string::npos;
       slash = entry.path.find('/', slash + 1)) {
    const std::string parent = entry.path.substr(0, slash);
    if (!named_.insert(parent).second) continue;
    if (auto done = put_head({parent, kDirectory | 0755, 0}, inode_++); !done) return done;
  }
  named_.insert(entry.path);
  return put_head(entry, inode_++);
}

Result<void> NewcWriter::content(std::string_view bytes) { return put(bytes); }

Result<void> NewcWriter::finish() {
  if (auto done = put_head({"TRAILER!!!", 0, 0}, 0); !done) return done;
  return pad_to(512);
}

std::string newc_archive(const std::vector<NewcEntry>& entries) {
  std::set<std::string> named;
  for (const NewcEntry& entry : entries) named.insert(entry.path);
  std::string out;
  NewcWriter writer(
      [&out](std::string_view bytes) -> Result<void> {
        out += bytes;
        return {};
      },
      std::move(named));
  for (const NewcEntry& entry : entries) {
    (void)writer.begin({entry.path, entry.mode, entry.content.size()});
    (void)writer.content(entry.content);
  }
  (void)writer.finish();
  return out;
}

}  // namespace aliquot
