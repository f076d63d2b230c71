#include "manager/api/wire/zmtp_connection.hpp"

#include "manager/api/wire/zmtp.hpp"

namespace aliquot {

void ZmtpConnection::count(std::size_t bytes) {
  const auto now = Clock::now();
  if (now - second > std::chrono::seconds(1)) {
    second = now;
    lately = 0;
  }
  lately += bytes;
}

std::string ZmtpConnection::encode(const std::vector<std::string>& frames) {
  if (!curve) return zmtp::encode(frames);
  std::string bytes;
  for (std::size_t i = 0; i < frames.size(); ++i)
    bytes += zmtp::message_frame(curve->seal(frames[i], {.more = i + 1 < frames.size()}));
  return bytes;
}

}  // namespace aliquot
