#include "manager/api/wire/message_reader.hpp"

#include <algorithm>

#include "manager/api/wire/zmtp.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kSmallFrame = 16U << 10;  // larger ones need a reservation
constexpr std::size_t kReadAhead = kSmallFrame + zmtp::kMostHeadBytes;

}  // namespace

std::size_t MessageReader::space() const {
  if (large_ && large_->held) return large_size_ - large_->bytes.size();
  return kReadAhead - std::min(kReadAhead, in_.size());
}

void MessageReader::append(std::string_view bytes) {
  (large_ && large_->held ? large_->bytes : in_) += bytes;
}

MessageReader::Progress MessageReader::advance(const Reserve& reserve, std::string_view socket_type,
                                               std::string& reply) {
  if (large_) return advance_large(reserve, reply);
  return phase_ == Phase::greeting ? take_greeting(socket_type, reply) : take_frame(reply);
}

MessageReader::Progress MessageReader::advance_large(const Reserve& reserve, std::string& reply) {
  if (!large_->held) {
    large_->held = reserve(large_size_);
    if (!large_->held) return Progress::none;
    large_->bytes.reserve(large_size_);
    const std::size_t here = std::min(in_.size(), large_size_);
    large_->bytes.append(in_, 0, here);
    in_.erase(0, here);
  }
  if (large_->bytes.size() < large_size_) return Progress::none;
  Frame frame = std::move(*large_);
  large_.reset();
  return take_whole(std::move(frame), large_more_, false, reply);
}

MessageReader::Progress MessageReader::take_greeting(std::string_view socket_type, std::string& reply) {
  if (in_.size() < zmtp::kGreetingBytes) return Progress::none;
  if (!zmtp::check_greeting(in_, curve_ ? zmtp::Mechanism::curve : zmtp::Mechanism::null))
    return Progress::invalid;
  in_.erase(0, zmtp::kGreetingBytes);
  phase_ = Phase::ready;
  if (!curve_) reply += zmtp::ready(socket_type);
  return Progress::some;
}

MessageReader::Progress MessageReader::take_frame(std::string& reply) {
  const auto read = zmtp::frame_head(in_);
  if (!read) return Progress::invalid;
  if (!*read) return Progress::none;
  const zmtp::FrameHead& head = **read;
  const std::size_t most =
      head.command ? kSmallFrame : bounds_.frame_bytes + (curve_ ? CurveSession::kOverhead : 0);
  if (head.size > most || (!head.command && phase_ != Phase::open) || frames_.size() >= bounds_.frames)
    return Progress::invalid;
  if (head.size > kSmallFrame) {
    large_ = Frame{};
    large_size_ = head.size;
    large_more_ = head.more;
    in_.erase(0, head.head_bytes);
    return Progress::some;
  }
  if (in_.size() < head.head_bytes + head.size) return Progress::none;
  std::string bytes = in_.substr(head.head_bytes, head.size);
  in_.erase(0, head.head_bytes + head.size);
  return take_whole({std::move(bytes)}, head.more, head.command, reply);
}

// With CURVE, what follows a frame and whether it is a command is said inside.
MessageReader::Progress MessageReader::take_whole(Frame frame, bool more, bool command,
                                                  std::string& reply) {
  if (curve_ && curve_->is_open()) {
    if (more || command) return Progress::invalid;
    const auto flags = curve_->open(frame.bytes);
    if (!flags) return Progress::invalid;
    more = flags->more;
    command = flags->command;
  }
  if (command) return take_command(frame.bytes, reply);
  frames_.push_back(std::move(frame));
  return more ? Progress::some : Progress::message;
}

MessageReader::Progress MessageReader::take_command(const std::string& command, std::string& reply) {
  const std::string_view name = zmtp::command_name(command);
  if (phase_ == Phase::ready) {
    if (curve_) return take_handshake(command, reply);
    if (name != "READY") return Progress::invalid;
    phase_ = Phase::open;
  } else if (name == "PING") {
    const std::string pong = zmtp::pong(command);
    reply +=
        curve_ ? zmtp::message_frame(curve_->seal(pong, {.command = true})) : zmtp::command_frame(pong);
  }
  return Progress::some;
}

MessageReader::Progress MessageReader::take_handshake(const std::string& command, std::string& reply) {
  if (zmtp::command_name(command) == "HELLO") {
    const auto welcome = curve_->welcome(command);
    if (welcome) reply += zmtp::command_frame(*welcome);
    return welcome ? Progress::some : Progress::invalid;
  }
  const auto key = curve_->initiate(command);
  if (!key) return Progress::invalid;
  client_key_ = *key;
  return Progress::asks;
}

void MessageReader::admit(std::string_view socket_type, std::string& reply) {
  reply += zmtp::command_frame(curve_->ready(zmtp::metadata(socket_type)));
  phase_ = Phase::open;
}

}  // namespace aliquot
