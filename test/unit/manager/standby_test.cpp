// A manager that stands by says what it is, and leads when no other does; its store has what was kept.
#include "manager/standby.hpp"

#include <atomic>
#include <nlohmann/json.hpp>

#include "manager/ha/etcd_client.hpp"
#include "test/unit/manager/ha/real_etcd.hpp"
#include "test/unit/manager/running_daemon.hpp"

namespace aliquot {
namespace {

class StandbyOnEtcd : public ha::test::OnEtcd {
 protected:
  void SetUp() override {
    OnEtcd::SetUp();
    if (IsSkipped()) return;
    settings_.state_dir = directory_.file("state");
    settings_.spool_dir = directory_.file("spool");
    settings_.api.socket = directory_.file("api.sock");
    settings_.api.events = directory_.file("events.sock");
    settings_.api.socket_mode = 0666;
    settings_.api.operators.clear();
    settings_.http.port = 0;
    settings_.ha.endpoints = etcd().settings().endpoints;
    settings_.ha.name = "b";
    settings_.ha.lease_ttl = seconds(30);
    ASSERT_EQ(pipe2(signals_, O_NONBLOCK), 0);
  }
  void TearDown() override {
    if (thread_.joinable()) end();
    close(signals_[0]);
    close(signals_[1]);
  }
  std::unique_ptr<ha::Leadership> other_leads() {
    ha::LeaderLease::Parts parts = leadership_parts(settings_);
    parts.self = {"a", "tcp://a.example.org:7447"};
    return std::move(*ha::Leadership::campaign(std::move(parts), {}));
  }
  void start() {
    thread_ = std::thread([this] {
      auto stood_by = stand_by(settings_, leadership_parts(settings_), signals_[0], log_, {});
      EXPECT_TRUE(stood_by) << stood_by.error().message;
      if (stood_by) leadership_ = std::move(stood_by->leadership);
    });
    for (int i = 0; i < 2400 && access(settings_.api.socket.c_str(), F_OK) != 0; ++i) usleep(25'000);
  }
  void end() {
    signalfd_siginfo info{};
    info.ssi_signo = SIGTERM;
    EXPECT_EQ(write(signals_[1], &info, sizeof info), ssize_t{sizeof info});
    thread_.join();
  }
  Reply asked(const Request& request) {
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::rcvtimeo, 20'000);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect("ipc://" + settings_.api.socket);
    for (const Frames frames = encode_request(test::header("1"), request);
         const std::string& frame : frames)
      socket.send(zmq::buffer(frame),
                  &frame != &frames.back() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    Frames answer;
    zmq::message_t frame;
    do {
      if (!socket.recv(frame)) return {Error{ErrorKind::timeout, "no answer"}};
      answer.push_back(frame.to_string());
    } while (frame.more());
    return decode_reply(answer).value().reply;
  }
  // What a client is told, once the standby has seen this leader.
  Error told(const std::string& leader) {
    std::optional<Error> error;
    for (int tries = 0; tries < 2400; ++tries) {
      error = asked(Hello{}).error;
      if (error && error->message.find(leader) != std::string::npos) return *error;
      usleep(25'000);
    }
    return error.value_or(Error{ErrorKind::internal, "it was served"});
  }

  const test::TemporaryDirectory directory_;
  Settings settings_;
  TextLog log_{"error"};
  int signals_[2]{};
  std::thread thread_;
  std::unique_ptr<ha::Leadership> leadership_;
};

TEST_F(StandbyOnEtcd, NamesTheLeaderAndTakesOverWhenItGoes) {
  settings_.ha.prefix = "/takes-over";
  auto leader = other_leads();
  start();
  const Error error = told("a leads");
  EXPECT_EQ(error.kind, ErrorKind::not_leader);
  EXPECT_NE(error.message.find("tcp://a.example.org:7447"), std::string::npos) << error.message;
  leader.reset();
  thread_.join();
  ASSERT_TRUE(leadership_);
  EXPECT_TRUE(leadership_->surely_leads());
}

TEST_F(StandbyOnEtcd, SaysHowAllManagersStand) {
  settings_.ha.prefix = "/status";
  const auto leader = other_leads();
  start();
  EXPECT_EQ(told("a leads").kind, ErrorKind::not_leader);
  nlohmann::json status;
  for (int tries = 0; tries < 2400 && status["managers"].size() < 2; ++tries) {
    const Reply reply = asked(HaStatus{});
    ASSERT_FALSE(reply.error) << reply.error->message;
    status = nlohmann::json::parse(reply.body);
  }
  EXPECT_EQ(status["answered_by"], "b");
  EXPECT_EQ(status["leader"], "a");
  EXPECT_EQ(status["epoch"], leader->epoch());
  EXPECT_EQ(status["managers"][1]["name"], "b") << status;
  EXPECT_EQ(status["managers"][1]["role"], "standby");
  EXPECT_EQ(status["managers"][1]["state"], "hot");
  EXPECT_EQ(status["managers"][0]["state"], nullptr) << "it leads";
  EXPECT_EQ(status["etcd"].size(), 1U);
  EXPECT_EQ(status["etcd"][0]["fault"], nullptr) << status;
  EXPECT_EQ(status["etcd"][0]["leads"], true);
  end();
}

TEST_F(StandbyOnEtcd, EndsWhenItIsAskedToAndLeavesTheLeaderAlone) {
  settings_.ha.prefix = "/ends";
  const auto leader = other_leads();
  start();
  EXPECT_EQ(told("a leads").kind, ErrorKind::not_leader);
  end();
  EXPECT_FALSE(leadership_);
  EXPECT_TRUE(leader->surely_leads());
}

}  // namespace
}  // namespace aliquot
