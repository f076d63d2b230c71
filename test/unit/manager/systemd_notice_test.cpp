// A socket of the test stands for the service manager.
#include "manager/systemd_notice.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>

namespace aliquot {
namespace {

class SystemdNotice : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/aliquot-notify.XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder_ + "/socket";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("NOTIFY_SOCKET");
    close(socket_);
    unlink((folder_ + "/socket").c_str());
    rmdir(folder_.c_str());
  }

  // Empty: nothing was told.
  [[nodiscard]] std::string told() const {
    char text[512];
    const ssize_t length = recv(socket_, text, sizeof text, 0);
    return length < 0 ? std::string() : std::string(text, static_cast<std::size_t>(length));
  }

 private:
  std::string folder_;
  int socket_ = -1;
};

TEST_F(SystemdNotice, HearsThatTheProgramServesAndThatItsLoopTurns) {
  tell_serving("3 jobs");
  EXPECT_EQ(told(), "READY=1\nWATCHDOG=1\nSTATUS=3 jobs");
}

TEST_F(SystemdNotice, HearsThatItEnds) {
  tell_stopping();
  EXPECT_EQ(told(), "STOPPING=1\nSTATUS=ending; its virtual machines run on");
}

TEST_F(SystemdNotice, IsToldNothingByAProgramThatItHasNotStarted) {
  unsetenv("NOTIFY_SOCKET");
  tell_serving("3 jobs");
  tell_stopping();
  EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace aliquot
