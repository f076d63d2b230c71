#include "monitor/http_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace aliquot {

bool HttpConnection::send_more(const std::string& text) {
  while (sent < text.size()) {
    const ssize_t put = send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    sent += static_cast<std::size_t>(put);
  }
  return true;
}

bool HttpConnection::receive() {
  std::array<char, kReadAtOnce> bytes{};
  const ssize_t got = read(fd, bytes.data(), bytes.size());
  if (got > 0) in.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool HttpConnection::skip() const {
  std::array<char, kReadAtOnce> bytes{};
  const ssize_t got = read(fd, bytes.data(), bytes.size());
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

std::optional<std::uint64_t> stream_given_up(const HttpConnections& connections,
                                             const HttpConnection& newcomer) {
  std::map<std::string_view, std::vector<std::uint64_t>> of_hosts;
  for (const auto& [id, connection] : connections)
    if (connection.feed) of_hosts[connection.host()].push_back(id);
  const auto most =
      std::ranges::max_element(of_hosts, {}, [](const auto& each) { return each.second.size(); });
  if (most == of_hosts.end() || most->second.size() < of_hosts[newcomer.host()].size() + 2)
    return std::nullopt;
  return most->second.back();
}

std::pair<std::string, bool> client_of(const sockaddr_storage& name) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (name.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return {std::string(text.data()) + ":" + std::to_string(ntohs(v4.sin_port)),
            ntohl(v4.sin_addr.s_addr) >> 24U == IN_LOOPBACKNET};
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
  inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == IN_LOOPBACKNET;
  return {"[" + std::string(text.data()) + "]:" + std::to_string(ntohs(v6.sin6_port)),
          mapped || IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr)};
}

}  // namespace aliquot
