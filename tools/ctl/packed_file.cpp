#include "tools/ctl/packed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "manager/hypervisor/descriptor.hpp"
#include "monitor/sha256.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/progress.hpp"

namespace aliquot::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPath = 4096;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

char to_remove[kLongestPath];  // for the signal handler, which may use no more than this

void remove_and_end(int signal) {
  ::unlink(to_remove);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool is_below(const fs::path& directory, const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    const std::string folder = root.ends_with('/') ? root : root + "/";
    if ((directory.string() + "/").starts_with(folder)) return true;
  }
  return false;
}

tl::unexpected<Error> cannot_write(const std::string& path) {
  return fail(errno == ENOSPC || errno == EDQUOT ? ErrorKind::no_space : ErrorKind::forbidden,
              "cannot write " + path + ": " + std::strerror(errno) +
                  "; set TMPDIR to a directory with space for the packed input files");
}

Result<void> write_all(int file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot_write(path);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

Result<fs::path> packing_directory(const std::vector<std::string>& roots, Memory size) {
  std::error_code fault;
  for (const fs::path& each :
       {fs::path(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : ""), fs::current_path(fault),
        fs::path(std::getenv("HOME") ? std::getenv("HOME") : "")}) {
    const fs::path real = each.empty() ? each : fs::canonical(each, fault);
    if (real.empty() || fault || !is_below(real, roots)) continue;
    if (::access(real.c_str(), W_OK | X_OK) == 0) return real;
  }
  std::string named;
  for (const std::string& root : roots) named += (named.empty() ? "" : ", ") + root;
  return fail(ErrorKind::refused,
              "the input files take " + short_bytes(size.raw) +
                  ", more than a message may have (api.max_request), and are handed over as a file; the "
                  "manager takes files only from below files.roots (" +
                  named +
                  "), on its own machine: set TMPDIR to a directory of yours there, ask an operator to add "
                  "one, or put the files into a disk image (`aliquot image add`)");
}

Result<PackedFile> PackedFile::make(const fs::path& directory, const std::vector<PackedEntry>& entries) {
  std::string path = (directory / ".aliquot-input-XXXXXX").string();
  const Descriptor file(path.size() < kLongestPath ? ::mkostemp(path.data(), O_CLOEXEC) : -1);
  if (!file.is_open()) return cannot_write(path);
  PackedFile out(path);
  std::strncpy(to_remove, path.c_str(), kLongestPath - 1);
  for (const int signal : kSignals) std::signal(signal, remove_and_end);
  Progress progress("packing the input files:");
  const Memory of = archive_size(entries);
  Memory done;
  Sha256 hash;
  std::string waiting;  // many entries are small
  const auto flush = [&]() -> Result<void> {
    hash.update(reinterpret_cast<const unsigned char*>(waiting.data()), waiting.size());
    auto written = write_all(file.get(), path, waiting);
    done += Memory{static_cast<std::int64_t>(waiting.size())};
    waiting.clear();
    progress.tell(done, of);
    return written;
  };
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  auto written = write_archive(entries, [&](std::string_view bytes) -> Result<void> {
    waiting += bytes;
    return waiting.size() < kPiece ? Result<void>() : flush();
  });
  if (written) written = flush();
  if (!written) return tl::unexpected(written.error());
  out.sha256_ = hash.finish();
  return out;
}

PackedFile::PackedFile(PackedFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), sha256_(std::move(other.sha256_)) {}

PackedFile::~PackedFile() {
  if (path_.empty()) return;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  ::unlink(path_.c_str());
}

}  // namespace aliquot::ctl
