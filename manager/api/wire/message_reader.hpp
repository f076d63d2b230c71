// The bytes that a ZeroMQ client sends on a connection, as messages: the greeting, a handshake, then
// frames, however they are cut. Bounded: a large frame waits until there is memory for it, and a message
// has few frames.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manager/api/wire/byte_budget.hpp"
#include "manager/keys/curve_session.hpp"

namespace aliquot {

class MessageReader {
 public:
  struct Frame {
    std::string bytes;
    ByteBudget::Reservation held{};  // of a large frame
  };
  struct Bounds {
    std::size_t frame_bytes = 0;
    std::size_t frames = 0;  // of a message
  };
  enum class Progress {
    message,  // take_message() has it
    some,     // there may be more
    none,     // more bytes are needed, or memory
    asks,     // a client has proved that it has the key client_key(): admit(), or close the connection
    invalid   // not ZMTP, or beyond the bounds
  };
  // Of memory for a large frame; none: not now.
  using Reserve = std::function<ByteBudget::Reservation(std::size_t)>;

  // With a session of CURVE, which outlives the reader, there is nothing without it.
  explicit MessageReader(Bounds bounds, CurveSession* curve = nullptr) : bounds_(bounds), curve_(curve) {}

  // How many bytes it can take now.
  [[nodiscard]] std::size_t space() const;
  void append(std::string_view bytes);
  // What is to be sent in answer to the bytes is appended to `reply`.
  [[nodiscard]] Progress advance(const Reserve& reserve, std::string_view socket_type, std::string& reply);
  [[nodiscard]] const CurveKey& client_key() const { return client_key_; }
  void admit(std::string_view socket_type, std::string& reply);
  [[nodiscard]] std::vector<Frame> take_message() { return std::exchange(frames_, {}); }

  [[nodiscard]] bool has_greeted() const { return phase_ == Phase::open; }
  // False: a message has begun and is not complete.
  [[nodiscard]] bool is_between_messages() const { return in_.empty() && frames_.empty() && !large_; }
  [[nodiscard]] bool waits_for_memory() const { return large_ && !large_->held; }
  // The next bytes belong to a large frame, which needs no look until it is complete.
  [[nodiscard]] bool fills_large_frame() const { return large_ && large_->held && space() > 0; }

 private:
  enum class Phase { greeting, ready, open };
  Progress advance_large(const Reserve& reserve, std::string& reply);
  Progress take_greeting(std::string_view socket_type, std::string& reply);
  Progress take_frame(std::string& reply);
  Progress take_whole(Frame frame, bool more, bool command, std::string& reply);
  Progress take_command(const std::string& command, std::string& reply);
  Progress take_handshake(const std::string& command, std::string& reply);

  Bounds bounds_;
  CurveSession* curve_;
  CurveKey client_key_{};
  Phase phase_ = Phase::greeting;
  std::string in_;              // not yet part of a frame
  std::vector<Frame> frames_;   // of the message that is being read
  std::optional<Frame> large_;  // the last of them, while it is read
  std::size_t large_size_ = 0;
  bool large_more_ = false;
};

}  // namespace aliquot
