#include "manager/hypervisor/status_channel.hpp"

#include <charconv>
#include <cstddef>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kReadAtMost = 4096;
constexpr std::string_view kExitLine = "aliquot-status 1 exit ";
constexpr std::string_view kMemoryLine = "aliquot-status 1 out_of_memory ";
constexpr std::string_view kTasksLine = "aliquot-status 1 tasks ";
constexpr std::string_view kIn = " in ";
constexpr std::size_t kMostDigits = 7;  // of a number of tasks, seconds or processes

// Serial lines of a terminal end with CR LF.
std::string_view without_carriage_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<int> exit_status_of_line(std::string_view line) {
  line = without_carriage_return(line);
  if (!line.starts_with(kExitLine)) return std::nullopt;
  line.remove_prefix(kExitLine.size());
  int status = 0;
  const auto [stop, fault] = std::from_chars(line.data(), line.data() + line.size(), status);
  const bool whole = fault == std::errc{} && stop == line.data() + line.size();
  if (!whole || status < 0 || status > 255 || line.size() > 3) return std::nullopt;
  return status;
}

std::optional<std::uint32_t> number_of(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc{} || stop != digits.data() + digits.size() || digits.size() > kMostDigits)
    return std::nullopt;
  return number;
}

std::optional<std::uint32_t> oom_kills_of_line(std::string_view line) {
  line = without_carriage_return(line);
  if (!line.starts_with(kMemoryLine)) return std::nullopt;
  return number_of(line.substr(kMemoryLine.size()));
}

std::optional<AnnouncedSize> announced_size_of_line(std::string_view line) {
  line = without_carriage_return(line);
  if (!line.starts_with(kTasksLine)) return std::nullopt;
  line.remove_prefix(kTasksLine.size());
  const std::size_t in = line.find(kIn);
  if (in == std::string_view::npos) return std::nullopt;
  const auto tasks = number_of(line.substr(0, in));
  const auto span = number_of(line.substr(in + kIn.size()));
  if (!tasks || *tasks == 0 || !span) return std::nullopt;
  return AnnouncedSize{*tasks, seconds(*span)};
}

}  // namespace

GuestEnd guest_end(std::string_view text) {
  bool cut = false;
  if (text.size() > kReadAtMost) {
    // The first line of the window counts only if the window contains its beginning.
    cut = text[text.size() - kReadAtMost - 1] != '\n';
    text.remove_prefix(text.size() - kReadAtMost);
  }
  GuestEnd last;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = cut ? std::string_view{} : text.substr(0, end);
    if (const auto status = exit_status_of_line(line)) last.status = status;
    if (const auto kills = oom_kills_of_line(line)) last.oom_kills = *kills;
    cut = false;
    text.remove_prefix(end + 1);
  }
  return last;
}

Result<GuestEnd> read_guest_end(const std::string& path) {
  auto tail = read_tail(path, kReadAtMost + 1);
  if (!tail && tail.error().kind == ErrorKind::not_found) return GuestEnd{};
  if (!tail) return tl::unexpected(tail.error());
  return guest_end(*tail);
}

Result<std::optional<int>> read_exit_status(const std::string& path) {
  return read_guest_end(path).map([](const GuestEnd& end) { return end.status; });
}

bool has_exit_status(const std::string& path) {
  const auto status = read_exit_status(path);
  return status && status->has_value();
}

std::vector<AnnouncedSize> announced_sizes(std::string_view text) {
  std::vector<AnnouncedSize> sizes;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (const auto size = announced_size_of_line(text.substr(0, end))) sizes.push_back(*size);
    text.remove_prefix(end + 1);
  }
  return sizes;
}

}  // namespace aliquot
