// For tests: an HTTP server that answers every request with the same text, or with nothing.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <string>
#include <thread>

#include "test/unit/manager/ha/real_etcd.hpp"

namespace aliquot::ha::test {

class FakeGateway {
 public:
  // An empty body: the connection is closed without an answer.
  FakeGateway(int status, std::string body) : status_(status), body_(std::move(body)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listening_, reinterpret_cast<sockaddr*>(&name), size) != 0 || listen(listening_, 8) != 0 ||
        getsockname(listening_, reinterpret_cast<sockaddr*>(&name), &size) != 0)
      throw std::runtime_error("no free port");
    port_ = ntohs(name.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  FakeGateway(const FakeGateway&) = delete;
  FakeGateway& operator=(const FakeGateway&) = delete;
  ~FakeGateway() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int asked() const { return asked_; }

 private:
  void serve() {
    for (int client = -1; (client = accept(listening_, nullptr, nullptr)) >= 0; close(client)) {
      char request[4096];
      if (read(client, request, sizeof request) <= 0) continue;
      ++asked_;
      if (body_.empty()) continue;
      const std::string answer =
          "HTTP/1.1 " + std::to_string(status_) +
          " X\r\nConnection: close\r\nContent-Length: " + std::to_string(body_.size()) + "\r\n\r\n" + body_;
      static_cast<void>(!write(client, answer.data(), answer.size()));
    }
  }
  int status_;
  std::string body_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> asked_{0};
  std::thread thread_;
};

}  // namespace aliquot::ha::test
