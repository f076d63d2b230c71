#include "manager/api/wire/zmtp.hpp"

namespace aliquot::zmtp {
namespace {

constexpr unsigned kMore = 1;
constexpr unsigned kLong = 2;
constexpr unsigned kCommand = 4;
constexpr std::size_t kMechanismAt = 12;
constexpr std::size_t kMechanismBytes = 20;
constexpr std::size_t kPingTtlBytes = 2;

void add_number(std::string& to, std::uint64_t number, int bytes) {
  for (int byte = bytes - 1; byte >= 0; --byte) to += static_cast<char>(number >> (8 * byte) & 255U);
}

void add_frame(std::string& to, unsigned flags, std::string_view bytes) {
  const bool is_long = bytes.size() > 255;
  to += static_cast<char>(flags | (is_long ? kLong : 0U));
  add_number(to, bytes.size(), is_long ? 8 : 1);
  to += bytes;
}

void add_property(std::string& to, std::string_view name, std::string_view value) {
  add_number(to, name.size(), 1);
  to += name;
  add_number(to, value.size(), 4);
  to += value;
}

std::string_view name_of(Mechanism mechanism) { return mechanism == Mechanism::curve ? "CURVE" : "NULL"; }

tl::unexpected<Error> wrong(const char* what) { return fail(ErrorKind::invalid_argument, what); }

}  // namespace

std::string greeting(Mechanism mechanism) {
  std::string bytes("\xFF\0\0\0\0\0\0\0\1\x7F\3\0", kMechanismAt);
  bytes += name_of(mechanism);
  bytes.resize(kGreetingBytes);
  if (mechanism == Mechanism::curve) bytes[kMechanismAt + kMechanismBytes] = 1;  // as a server
  return bytes;
}

std::string metadata(std::string_view socket_type) {
  std::string bytes;
  add_property(bytes, "Socket-Type", socket_type);
  return bytes;
}

std::string ready(std::string_view socket_type) { return command_frame("\5READY" + metadata(socket_type)); }

std::string command_frame(std::string_view command) {
  std::string bytes;
  add_frame(bytes, kCommand, command);
  return bytes;
}

std::string message_frame(std::string_view message) {
  std::string bytes;
  bytes.reserve(kMostHeadBytes + message.size());
  add_frame(bytes, 0, message);
  return bytes;
}

Result<void> check_greeting(std::string_view bytes, Mechanism mechanism) {
  if (bytes.size() < kGreetingBytes || bytes[0] != '\xFF' || (static_cast<unsigned>(bytes[9]) & 1U) == 0)
    return wrong("the peer does not speak ZMTP");
  if (bytes[10] < 3) return wrong("the peer speaks a version of ZMTP before 3.0");
  std::string expected(name_of(mechanism));
  expected.resize(kMechanismBytes);
  if (bytes.substr(kMechanismAt, kMechanismBytes) != expected)
    return wrong("the peer asks for another security mechanism");
  return {};
}

Result<std::optional<FrameHead>> frame_head(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto flags = static_cast<unsigned char>(bytes[0]);
  if (flags > (kMore | kLong | kCommand) || ((flags & kCommand) != 0 && (flags & kMore) != 0))
    return wrong("the flags of a frame are unknown");
  FrameHead head{(flags & kMore) != 0, (flags & kCommand) != 0, 0, (flags & kLong) != 0 ? 9U : 2U};
  if (bytes.size() < head.head_bytes) return std::nullopt;
  for (std::size_t i = 1; i < head.head_bytes; ++i)
    head.size = head.size << 8U | static_cast<unsigned char>(bytes[i]);
  return head;
}

std::string_view command_name(std::string_view command) {
  if (command.empty()) return {};
  const auto size = static_cast<unsigned char>(command[0]);
  return command.size() > size ? command.substr(1, size) : std::string_view();
}

std::string pong(std::string_view ping) {
  std::string command("\4PONG");
  const std::size_t context = command.size() + kPingTtlBytes;
  if (ping.size() > context) command += ping.substr(context);
  return command;
}

std::string encode(const std::vector<std::string>& frames) {
  std::size_t size = 0;
  for (const std::string& frame : frames) size += kMostHeadBytes + frame.size();
  std::string bytes;
  bytes.reserve(size);
  for (std::size_t i = 0; i < frames.size(); ++i)
    add_frame(bytes, i + 1 < frames.size() ? kMore : 0U, frames[i]);
  return bytes;
}

}  // namespace aliquot::zmtp
