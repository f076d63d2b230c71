// The command line with the addresses of several managers: it finds the one that leads.
#include <atomic>

#include "test/unit/tools/ctl/running_program.hpp"

namespace aliquot {
namespace {

// Answers everything as a standby does.
class StandbyServer {
 public:
  explicit StandbyServer(const std::string& directory) {
    settings_.socket = directory + "/standby.sock";
    settings_.events = directory + "/standby-events.sock";
    auto opened = JobServer::open(settings_, directory + "/standby-keys");
    if (!opened) throw std::runtime_error(opened.error().message);
    server_ = std::move(*opened);
    thread_ = std::thread([this] {
      while (!stop_) {
        pollfd item{server_->fd(), POLLIN, 0};
        poll(&item, 1, 20);
        server_->drain([&](const Incoming& incoming) {
          ++asked_;
          server_->reply(incoming.client, Reply{Error{ErrorKind::not_leader, "a leads"}});
        });
      }
    });
  }
  ~StandbyServer() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] const std::string& socket() const { return settings_.socket; }
  [[nodiscard]] int asked() const { return asked_; }

 private:
  ApiSettings settings_;
  std::unique_ptr<JobServer> server_;
  std::atomic<bool> stop_{false};
  std::atomic<int> asked_{0};
  std::thread thread_;
};

class ServerList : public test::RunningProgram {};

TEST_F(ServerList, TheOneThatLeadsIsAsked) {
  const StandbyServer standby(manager_.directory());
  const std::string all = "--server /nowhere.sock," + standby.socket() + "," + manager_.socket();
  EXPECT_EQ(run(all + " list -o name").out, "1\n2\n");
  EXPECT_EQ(standby.asked(), 1);
}

TEST_F(ServerList, AnOrderIsGivenToTheLeaderToo) {
  const StandbyServer standby(manager_.directory());
  const test::Ran ran = run("--server " + standby.socket() + "," + manager_.socket() + " hold 1");
  EXPECT_EQ(ran.exit_code, 0) << ran.words;
}

TEST_F(ServerList, WhereNoneLeadsItTriesUntilItsTimeIsOver) {
  const StandbyServer standby(manager_.directory());
  fails("--timeout 1s --server /nowhere.sock," + standby.socket() + " list", 6, "");
  EXPECT_GE(standby.asked(), 2);
}

TEST_F(ServerList, AStandbyThatIsAskedAloneSaysSo) {
  const StandbyServer standby(manager_.directory());
  fails("--server " + standby.socket() + " list", 6, "a leads");
  EXPECT_EQ(standby.asked(), 1);
}

}  // namespace
}  // namespace aliquot
