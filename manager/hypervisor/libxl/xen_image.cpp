#include "manager/hypervisor/libxl/xen_image.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

// No value: the file is no image of this VM.
std::optional<XenGuests> guests_in(const std::string& path, const Uuid& vm) {
  const auto named = guests_in_xen_image(path, vm);
  for (const XenGuests guests : {XenGuests::pv, XenGuests::pvh, XenGuests::hvm})
    if (named == word(guests)) return guests;
  return std::nullopt;
}

tl::unexpected<Error> system_error(const std::string& what, const std::string& path) {
  return fail(ErrorKind::internal, "cannot " + what + " " + path + ": " + std::strerror(errno));
}

bool write_all(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

constexpr std::chrono::milliseconds kBetweenReads{20};

// In this thread writing to a pipe whose other end is closed is an error, and does not end the process.
void block_broken_pipes() {
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, nullptr);
}

}  // namespace

// State of the thread, which outlives a writer that is destroyed before libxl has closed the pipe.
struct ImageWriter::Copy {
  std::string path;
  Descriptor file;
  Descriptor from;
  Result<void> result;

  void run() {
    std::vector<char> buffer(std::size_t{1} << 20);
    while (result) {
      const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
      if (got == 0) return;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 || !write_all(file.get(), buffer.data(), static_cast<std::size_t>(got)))
        result = system_error("write", path);
    }
    from = Descriptor();  // libxl's next write fails
  }
};

ImageWriter::ImageWriter(Descriptor stream, std::shared_ptr<Copy> copy)
    : stream_(std::move(stream)), copy_(std::move(copy)), thread_([copy = copy_] { copy->run(); }) {}

ImageWriter::~ImageWriter() {
  if (thread_.joinable()) thread_.detach();
}

Result<std::unique_ptr<ImageWriter>> ImageWriter::begin(const std::string& path, const Uuid& vm,
                                                        XenGuests guests) {
  constexpr mode_t kOwnerOnly = 0600;
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly));
  const std::string header = xen_image_header(vm, word(guests));
  if (!file.is_open() || !write_all(file.get(), header.data(), header.size()))
    return system_error("write", path);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("make a pipe for", path);
  Descriptor stream(ends[1]);
  auto copy = std::make_shared<Copy>(Copy{path, std::move(file), Descriptor(ends[0]), {}});
  return std::unique_ptr<ImageWriter>(new ImageWriter(std::move(stream), std::move(copy)));
}

Result<void> ImageWriter::close() {
  stream_ = Descriptor();
  if (thread_.joinable()) thread_.join();
  return copy_->result;
}

Result<void> ImageWriter::complete(const std::string& to) {
  if (auto written = close(); !written) return written;
  if (::fsync(copy_->file.get()) != 0) return system_error("flush", copy_->path);
  if (auto renamed = rename_file(copy_->path, to); !renamed) return renamed;
  return flush_directory(std::filesystem::path(to).parent_path());
}

bool is_image_of(const std::string& path, const Uuid& vm) { return guests_in(path, vm).has_value(); }

// State of the thread, which outlives a reader that is destroyed while it waits for the file.
struct ImageReader::Copy {
  Descriptor image;
  Descriptor to;
  std::string part, whole;
  Uuid vm;
  std::atomic<bool> is_given_up{false};

  // Call this before looking for the whole image: the part is renamed, so one of the two exists until the
  // writer gives up.
  [[nodiscard]] bool is_growing() const {
    std::error_code unknown;
    return std::filesystem::exists(part, unknown) && !unknown;
  }

  void run() {
    block_broken_pipes();
    std::vector<char> buffer(std::size_t{1} << 20);
    for (bool is_whole = false; !is_given_up;) {
      const ssize_t got = ::read(image.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 || (got == 0 && is_whole)) break;
      if (got > 0 && !write_all(to.get(), buffer.data(), static_cast<std::size_t>(got))) break;
      if (got > 0) continue;
      const bool grows = is_growing();
      is_whole = is_image_of(whole, vm);
      if (!grows && !is_whole) break;
      if (!is_whole) std::this_thread::sleep_for(kBetweenReads);
    }
    to = Descriptor();
  }
};

ImageReader::ImageReader(Descriptor stream, std::shared_ptr<Copy> copy)
    : stream_(std::move(stream)), copy_(std::move(copy)) {
  std::thread([copy = copy_] { copy->run(); }).detach();
}

Result<std::unique_ptr<ImageReader>> ImageReader::begin(Descriptor image, const std::string& part,
                                                        const std::string& whole, const Uuid& vm) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("make a pipe for", part);
  Descriptor stream(ends[0]);
  auto copy = std::make_shared<Copy>();
  copy->image = std::move(image);
  copy->to = Descriptor(ends[1]);
  copy->part = part;
  copy->whole = whole;
  copy->vm = vm;
  return std::unique_ptr<ImageReader>(new ImageReader(std::move(stream), std::move(copy)));
}

void ImageReader::give_up() { copy_->is_given_up = true; }

Result<XenImage> open_image(const std::string& path, const Uuid& vm) {
  const auto guests = guests_in(path, vm);
  if (!guests)
    return fail(ErrorKind::not_found, path + " is no image of VM " + to_string(vm) + "; inspect the VM");
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() || ::lseek(file.get(), kXenImageHeaderSize, SEEK_SET) < 0)
    return system_error("read", path);
  return XenImage{std::move(file), *guests};
}

}  // namespace aliquot
