// For tests: the whole manager on a thread of this process, with a node that never answers, and a client
// that sends exactly what it is told to.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <zmq.hpp>

#include "manager/api/wire/protocol.hpp"
#include "manager/assembly.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {

inline RequestHeader header(std::string id, std::string idem = "") {
  RequestHeader made;
  made.id = std::move(id);
  made.idem = std::move(idem);
  return made;
}

// A DEALER socket with a ticket.
class RawClient {
 public:
  explicit RawClient(const std::string& path) {
    socket_.set(zmq::sockopt::rcvtimeo, 20'000);
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect("ipc://" + path);
    send(header("hello"), Hello{});
    ticket_ = receive().ticket;
  }

  void send(RequestHeader header, const Request& request) {
    header.ticket = ticket_;
    const Frames frames = encode_request(std::move(header), request);
    for (std::size_t i = 0; i < frames.size(); ++i)
      socket_.send(zmq::buffer(frames[i]),
                   i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  ReplyEnvelope receive() {
    Frames frames;
    zmq::message_t frame;
    do {
      if (!socket_.recv(frame)) throw std::runtime_error("no answer");
      frames.push_back(frame.to_string());
    } while (frame.more());
    return decode_reply(frames).value();
  }
  ReplyEnvelope ask(RequestHeader header, const Request& request) {
    send(std::move(header), request);
    return receive();
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_{context_, zmq::socket_type::dealer};
  std::string ticket_;
};

class RunningDaemon {
 public:
  explicit RunningDaemon(const TemporaryDirectory& directory) {
    settings.state_dir = directory.file("state");
    settings.spool_dir = directory.file("spool");
    settings.policy.spec = "FCFS";
    settings.api.socket = directory.file("api.sock");
    settings.api.events = directory.file("events.sock");
    settings.api.socket_mode = 0666;
    settings.api.operators.clear();
    settings.http.port = 0;
    settings.log.level = "error";
    NodeSettings node;
    node.name = "absent";
    node.uri = "qemu+unix:///system?socket=" + directory.file("no-libvirtd");
    node.cores = 4;
    node.memory = mebibytes(8192);
    settings.nodes = {node};
    std::filesystem::permissions(std::filesystem::path(directory.file("")).parent_path(),
                                 std::filesystem::perms(0755));
    if (pipe2(signals_, O_NONBLOCK) != 0) throw std::runtime_error("no pipe");
  }
  ~RunningDaemon() {
    stop();
    close(signals_[0]);
    close(signals_[1]);
  }

  // Returns when the manager answers.
  void start() {
    thread_ = std::thread([this] {
      const auto ran = run_manager(
          settings,
          [this] {
            return LoadedSettings{settings, {}};
          },
          signals_[0]);
      EXPECT_TRUE(ran) << ran.error().message;
    });
    for (int i = 0; i < 400 && access(settings.api.socket.c_str(), F_OK) != 0; ++i) usleep(25'000);
    const RawClient client(settings.api.socket);
  }
  void stop() {
    if (!thread_.joinable()) return;
    signal(SIGTERM);
    thread_.join();
  }
  // The manager reads `settings` again; it has done so when it answers the next request.
  void reload() { signal(SIGHUP); }

  Settings settings;

 private:
  void signal(int number) {
    signalfd_siginfo info{};
    info.ssi_signo = static_cast<std::uint32_t>(number);
    EXPECT_EQ(write(signals_[1], &info, sizeof info), ssize_t{sizeof info});
  }

  int signals_[2]{};
  std::thread thread_;
};

}  // namespace aliquot::test
