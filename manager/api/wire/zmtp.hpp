// ZMTP 3.0, the protocol that ZeroMQ speaks on a connection (rfc.zeromq.org/spec/23), as far as a server
// with the mechanisms NULL and CURVE needs it: pure functions between bytes and frames. A peer of
// version 3.1 uses 3.0 with a server that speaks 3.0. What CURVE does with keys is in
// manager/keys/curve_session.hpp.
//
//   greeting (64 bytes)   READY command   frames: flags, size (1 or 8 bytes), bytes
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot::zmtp {

inline constexpr std::size_t kGreetingBytes = 64;
inline constexpr std::size_t kMostHeadBytes = 9;

enum class Mechanism { null, curve };

// What the server sends first, and with NULL after the peer's greeting; `socket_type` is ROUTER or PUB.
[[nodiscard]] std::string greeting(Mechanism mechanism = Mechanism::null);
[[nodiscard]] std::string ready(std::string_view socket_type);
// What READY says of the socket.
[[nodiscard]] std::string metadata(std::string_view socket_type);
// A command whose name is in it, and a frame that is one message, as CURVE sends all.
[[nodiscard]] std::string command_frame(std::string_view command);
[[nodiscard]] std::string message_frame(std::string_view bytes);

// Refuses another protocol, an older version, another mechanism. `bytes` is the whole greeting.
[[nodiscard]] Result<void> check_greeting(std::string_view bytes, Mechanism mechanism = Mechanism::null);

struct FrameHead {
  bool more = false;  // the next frame is of the same message
  bool command = false;
  std::uint64_t size = 0;
  std::size_t head_bytes = 0;
};
// Of the frame at the start of `bytes`; none: its head has not come as a whole. An error if it cannot be
// the head of a frame.
[[nodiscard]] Result<std::optional<FrameHead>> frame_head(std::string_view bytes);

// The name of a command ("READY", "PING"); empty if there is none.
[[nodiscard]] std::string_view command_name(std::string_view command);
// The answer to a PING, a command without its frame.
[[nodiscard]] std::string pong(std::string_view ping);

// One message.
[[nodiscard]] std::string encode(const std::vector<std::string>& frames);

}  // namespace aliquot::zmtp
