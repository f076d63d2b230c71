#include "tools/ctl/archive_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/newc.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

std::uint64_t content_size(const PackedEntry& entry) {
  return entry.source.empty() ? entry.content.size() : entry.size;
}

NewcHead head_of(const PackedEntry& entry) { return {entry.path, entry.mode, content_size(entry)}; }

Result<void> write_source(const PackedEntry& entry, NewcWriter& out) {
  const std::string name = entry.source.string();
  const Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open())
    return fail(errno == EACCES ? ErrorKind::forbidden : ErrorKind::not_found,
                "cannot read " + name + ": " + std::strerror(errno));
  std::string piece(kPiece, '\0');
  for (std::uint64_t left = entry.size; left > 0;) {
    const ssize_t got = ::read(file.get(), piece.data(), std::min<std::uint64_t>(left, piece.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorKind::not_found, "cannot read " + name + ": " + std::strerror(errno));
    if (got == 0)
      return fail(ErrorKind::conflict, name + " has become shorter while it was packed; submit again");
    if (auto done = out.content({piece.data(), static_cast<std::size_t>(got)}); !done) return done;
    left -= static_cast<std::uint64_t>(got);
  }
  return {};
}

}  // namespace

Memory archive_size(const std::vector<PackedEntry>& entries) {
  if (entries.empty()) return {};
  std::uint64_t size = 0;
  NewcWriter writer([&size](std::string_view bytes) -> Result<void> {
    size += bytes.size();
    return {};
  });
  for (const PackedEntry& entry : entries) {
    (void)writer.begin(head_of(entry));
    writer.skip(content_size(entry));
    size += content_size(entry);
  }
  (void)writer.finish();
  return {static_cast<std::int64_t>(size)};
}

Result<void> write_archive(const std::vector<PackedEntry>& entries, const ArchiveSink& sink) {
  NewcWriter writer(sink);
  for (const PackedEntry& entry : entries) {
    auto done = writer.begin(head_of(entry));
    if (done) done = entry.source.empty() ? writer.content(entry.content) : write_source(entry, writer);
    if (!done) return done;
  }
  return writer.finish();
}

Result<std::string> archive_in_memory(const std::vector<PackedEntry>& entries) {
  std::string out;
  if (entries.empty()) return out;
  out.reserve(static_cast<std::size_t>(archive_size(entries).raw));
  const auto written = write_archive(entries, [&out](std::string_view bytes) -> Result<void> {
    out += bytes;
    return {};
  });
  if (!written) return tl::unexpected(written.error());
  return out;
}

}  // namespace aliquot
