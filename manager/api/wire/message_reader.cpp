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
  if (large_) return advance_large(reserve);
  return phase_ == Phase::greeting ? take_greeting(socket_type, reply) : take_frame(reply);
}

MessageReader::Progress MessageReader::advance_large(const Reserve& reserve) {
  if (!large_->held) {
    large_->held = reserve(large_size_);
    if (!large_->held) return Progress::none;
    large_->bytes.reserve(large_size_);
    const std::size_t here = std::min(in_.size(), large_size_);
    large_->bytes.append(in_, 0, here);
    in_.erase(0, here);
  }
  if (large_->bytes.size() < large_size_) return Progress::none;
  frames_.push_back(std::move(*large_));
  large_.reset();
  return large_more_ ? Progress::some : Progress::message;
}

MessageReader::Progress MessageReader::take_greeting(std::string_view socket_type, std::string& reply) {
  if (in_.size() < zmtp::kGreetingBytes) return Progress::none;
  if (!zmtp::check_greeting(in_)) return Progress::invalid;
  in_.erase(0, zmtp::kGreetingBytes);
  phase_ = Phase::ready;
  reply += zmtp::ready(socket_type);
  return Progress::some;
}

MessageReader::Progress MessageReader::take_frame(std::string& reply) {
  const auto read = zmtp::frame_head(in_);
  if (!read) return Progress::invalid;
  if (!*read) return Progress::none;
  const zmtp::FrameHead& head = **read;
  const std::size_t most = head.command ? kSmallFrame : bounds_.frame_bytes;
  if (head.size > most || (!head.command && phase_ != Phase::open) || frames_.size() >= bounds_.frames)
    return Progress::invalid;
  if (head.size > kSmallFrame) {
    large_.emplace();
    large_size_ = head.size;
    large_more_ = head.more;
    in_.erase(0, head.head_bytes);
    return Progress::some;
  }
  if (in_.size() < head.head_bytes + head.size) return Progress::none;
  std::string bytes = in_.substr(head.head_bytes, head.size);
  in_.erase(0, head.head_bytes + head.size);
  if (head.command) return take_command(bytes, reply);
  frames_.push_back({std::move(bytes)});
  return head.more ? Progress::some : Progress::message;
}

MessageReader::Progress MessageReader::take_command(const std::string& command, std::string& reply) {
  const std::string_view name = zmtp::command_name(command);
  if (phase_ == Phase::ready) {
    if (name != "READY") return Progress::invalid;
    phase_ = Phase::open;
  } else if (name == "PING") {
    reply += zmtp::pong(command);
  }
  return Progress::some;
}

}  // namespace aliquot
