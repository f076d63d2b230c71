// The real server and the real client over a real local socket; the daemon is a few lines of this file.
#include "test/unit/manager/api/wire/loopback.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <thread>
#include <zmq.hpp>

#include "manager/api/wire/job_server.hpp"
#include "tools/ctl/client.hpp"

namespace aliquot {
namespace {

using test::Loopback;

ctl::ClientSettings to(const Loopback& loop, Duration timeout = seconds(5)) {
  return {loop.settings.socket, timeout};
}

TEST(Loopback, AClientIsAnsweredAndTheKernelSaysWhoItIs) {
  Loopback loop;
  ctl::Client client(to(loop));
  const auto reply = client.ask(Cancel{{7}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body, "{\"method\":\"cancel\",\"pid\":" + std::to_string(getpid()) +
                             ",\"uid\":" + std::to_string(getuid()) + ",\"proved\":true}");
  EXPECT_EQ(loop.server->counters().malformed, 0U);
}

TEST(Loopback, TheSocketHasTheModeThatIsSet) {
  Loopback loop;
  struct stat found {};
  ASSERT_EQ(stat(loop.settings.socket.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0666U);
  ASSERT_EQ(stat(loop.settings.events.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0666U);
}

TEST(Loopback, AReqClientOfTwentyLinesIsServed) {
  Loopback loop;
  zmq::context_t context;
  zmq::socket_t req(context, zmq::socket_type::req);
  const auto ask = [&req](const std::string& header, const std::string& body) {
    req.send(zmq::str_buffer("ALIQUOT/1"), zmq::send_flags::sndmore);
    req.send(zmq::buffer(header), zmq::send_flags::sndmore);
    req.send(zmq::buffer(body));
    Frames frames;
    zmq::message_t frame;
    do {
      if (!req.recv(frame)) break;
      frames.push_back(frame.to_string());
    } while (frame.more());
    return decode_reply(frames).value();
  };
  req.set(zmq::sockopt::rcvtimeo, 5000);
  req.set(zmq::sockopt::linger, 0);
  req.connect("ipc://" + loop.settings.socket);
  EXPECT_FALSE(ask(R"({"id":"a","method":"status"})", "{}").reply.error);
  const auto refused = ask(R"({"id":"b","method":"cancel"})", R"({"job":1})");
  ASSERT_TRUE(refused.reply.error);
  EXPECT_EQ(refused.reply.error->kind, ErrorKind::forbidden);
  EXPECT_NE(refused.reply.error->message.find("ask `hello`"), std::string::npos);
  const std::string ticket = ask(R"({"id":"c","method":"hello"})", "{}").ticket;
  EXPECT_EQ(ticket.size(), 32U);
  const auto cancelled = ask(R"({"id":"d","method":"cancel","ticket":")" + ticket + "\"}", R"({"job":1})");
  EXPECT_FALSE(cancelled.reply.error);
  EXPECT_EQ(cancelled.id, "d");
  EXPECT_EQ(ask("{}", "{}").reply.error->kind, ErrorKind::invalid_argument);
}

TEST(Loopback, ATicketIsInvalidOnAnotherConnection) {
  Loopback loop;
  const std::string ticket = test::ask_raw(loop, {}, R"({"id":"1","method":"hello"})", "{}").ticket;
  const auto stolen =
      test::ask_raw(loop, {}, R"({"id":"1","method":"cancel","ticket":")" + ticket + "\"}", R"({"job":1})");
  ASSERT_TRUE(stolen.reply.error);
  EXPECT_EQ(stolen.reply.error->kind, ErrorKind::forbidden);
}

// Two connections that call themselves the same are two connections.
TEST(Loopback, TheRoutingIdThatAClientChoosesMeansNothing) {
  Loopback loop;
  test::Raw one(loop, "mine");
  test::Raw two(loop, "mine");
  one.send(R"({"id":"1","method":"hello"})", "{}");
  const std::string ticket = one.receive().ticket;
  two.send(R"({"id":"2","method":"cancel","ticket":")" + ticket + "\"}", R"({"job":1})");
  const auto stolen = two.receive();
  EXPECT_EQ(stolen.id, "2");
  ASSERT_TRUE(stolen.reply.error);
  EXPECT_EQ(stolen.reply.error->kind, ErrorKind::forbidden);
}

// Another user, by the kernel's word: the child gives up root before it connects.
TEST(Loopback, AnotherUserIsAnotherUser) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  Loopback loop;
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(9);
    ctl::Client client(to(loop));
    const auto reply = client.ask(ModeSet{Mode::off});
    const bool forbidden = !reply && reply.error().kind == ErrorKind::forbidden &&
                           reply.error().message.find("65534") != std::string::npos;
    const auto own = client.ask(Status{});
    const bool known = own && own->body.find("\"uid\":65534") != std::string::npos;
    _exit(forbidden && known ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Loopback, AReplyMayComeLateAndOutOfOrder) {
  Loopback loop;
  loop.hold_back = 2;  // answered only when the second has come, the last first
  ctl::Client one(to(loop));
  ctl::Client two(to(loop));
  Result<Reply> first = fail(ErrorKind::internal, "not asked");
  std::thread other([&] { first = one.ask(Show{{1}}); });
  const auto second = two.ask(Why{{2}});
  other.join();
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE(first->body.find("\"show\""), std::string::npos);
  EXPECT_NE(second->body.find("\"why\""), std::string::npos);
}

TEST(Loopback, SilenceIsATimeoutAndNoManagerIsUnavailable) {
  Loopback loop;
  loop.silent = true;
  ctl::Client client(to(loop, Duration{300'000}));
  const auto reply = client.ask(Status{});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::timeout) << reply.error().message;
  ctl::Client nowhere({loop.settings.socket + ".none", seconds(1)});
  EXPECT_EQ(nowhere.ask(Status{}).error().kind, ErrorKind::unavailable);
}

// As after a SIGKILL: its socket file is still there.
TEST(Loopback, AKilledManagerIsUnavailableAtOnce) {
  std::string path;
  {
    Loopback loop;
    path = loop.settings.socket + ".left";
    test::leave_stale_socket(path);
    ctl::Client client({path, seconds(3600)});
    EXPECT_EQ(client.ask(Status{}).error().kind, ErrorKind::unavailable);
  }
  auto loop = std::make_unique<Loopback>();
  ctl::Client waits(to(*loop, seconds(3600)));
  ASSERT_TRUE(waits.ask(Status{}));
  loop->silent = true;
  std::thread ends([&] {
    while (loop->received() < 3) usleep(1000);  // two requests to connect and one to wait for
    loop.reset();
  });
  EXPECT_EQ(waits.ask(Status{}).error().kind, ErrorKind::unavailable);
  ends.join();
}

TEST(Loopback, AnOversizedRequestIsNeverReadAndOthersGoOn) {
  Loopback loop;
  ctl::Client client(to(loop, Duration{500'000}));
  Submit submit;
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(1);
  submit.submission.program = HashChain{1, 1};
  submit.archive = std::string(3 << 20, 'x');  // the server takes 1 MiB
  const auto reply = client.ask(submit);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::timeout);
  ctl::Client other(to(loop));
  EXPECT_TRUE(other.ask(Status{}));
}

TEST(Loopback, TooManyRequestsInFlightAreTurnedAway) {
  Loopback loop;
  loop.silent = true;
  test::Raw raw(loop, {});
  for (int i = 0; i < 65; ++i)
    raw.send("{\"id\":\"" + std::to_string(i) + "\",\"method\":\"status\"}", "{}");
  const auto reply = raw.receive();  // the only one that is answered is the one too many
  EXPECT_EQ(reply.id, "64");
  ASSERT_TRUE(reply.reply.error);
  EXPECT_EQ(reply.reply.error->kind, ErrorKind::refused);
}

TEST(Loopback, AClientThatDoesNotReadIsNotReadEitherAndHoldsUpNoOther) {
  ZmtpServerLimits limits;
  limits.to_read = std::chrono::milliseconds(300);
  Loopback loop("open", limits);
  loop.answer_bytes = 200'000;
  test::Raw slow(loop, {});
  slow.socket.set(zmq::sockopt::sndhwm, 0);
  for (int i = 0; i < 1500; ++i)
    slow.send("{\"id\":\"" + std::to_string(i) + "\",\"method\":\"status\"}", "{}");
  for (int i = 0; i < 400 && loop.closed_unread() == 0; ++i) usleep(20'000);
  ctl::Client other(to(loop));
  EXPECT_TRUE(other.ask(Status{}));
  loop.stop();
  EXPECT_LE(loop.most_unsent(), limits.unsent_of_connection + 2 * 200'100U);
  EXPECT_LT(loop.received(), 200U) << "the rest of its requests was left unread";
  EXPECT_GT(loop.server->closed().messages_unread, 0U);
}

TEST(Loopback, ARepliedClientThatLeftIsCounted) {
  Loopback loop;
  loop.hold_back = 2;
  {
    test::Raw gone(loop, {});
    gone.send(R"({"id":"1","method":"status"})", "{}");
    for (int i = 0; i < 100 && loop.received() < 1; ++i) usleep(20'000);
  }
  usleep(200'000);
  ctl::Client other(to(loop));
  EXPECT_TRUE(other.ask(Status{}));
  loop.stop();
  EXPECT_EQ(loop.server->counters().dropped_gone, 1U);
}

TEST(Loopback, AQuestionWithoutATicketProvesNoIdentity) {
  Loopback loop;
  test::Raw raw(loop, {});
  raw.send(R"({"id":"1","method":"list"})", "{}");
  EXPECT_NE(raw.receive().reply.body.find(R"("proved":false)"), std::string::npos);
  raw.send(R"({"id":"2","method":"hello"})", "{}");
  const std::string ticket = raw.receive().ticket;
  raw.send(R"({"id":"3","method":"list","ticket":")" + ticket + "\"}", "{}");
  EXPECT_NE(raw.receive().reply.body.find(R"("proved":true)"), std::string::npos);
  raw.send(R"({"id":"4","method":"list","ticket":"another"})", "{}");
  EXPECT_EQ(raw.receive().reply.error->kind, ErrorKind::forbidden);
}

TEST(Loopback, SubscribersGetNoContentUnlessJobsAreOpen) {
  Loopback loop("queue");
  zmq::context_t context;
  zmq::socket_t sub(context, zmq::socket_type::sub);
  sub.set(zmq::sockopt::subscribe, "job.12.");
  sub.set(zmq::sockopt::rcvtimeo, 5000);
  sub.connect("ipc://" + loop.settings.events);
  loop.publish = true;
  zmq::message_t topic, sequence, json;
  ASSERT_TRUE(sub.recv(topic) && sub.recv(sequence) && sub.recv(json));
  EXPECT_EQ(sequence.to_string(), "42");
  EXPECT_EQ(json.to_string(), "{}");
}

TEST(Loopback, EventsReachSubscribersByTopic) {
  Loopback loop;
  zmq::context_t context;
  zmq::socket_t sub(context, zmq::socket_type::sub);
  sub.set(zmq::sockopt::subscribe, "job.12.");
  sub.set(zmq::sockopt::rcvtimeo, 5000);
  sub.connect("ipc://" + loop.settings.events);
  loop.publish = true;  // job.11.running and job.12.running, over and over
  zmq::message_t topic, sequence, json;
  ASSERT_TRUE(sub.recv(topic));
  ASSERT_TRUE(sub.recv(sequence));
  ASSERT_TRUE(sub.recv(json));
  EXPECT_EQ(topic.to_string(), "job.12.running");
  EXPECT_EQ(sequence.to_string(), "42");
  EXPECT_EQ(json.to_string(), R"({"x":1})");
}

TEST(Loopback, ASecondManagerIsRefusedAndAStaleSocketIsRemoved) {
  ApiSettings settings;
  {
    Loopback loop;
    settings = loop.settings;
    const auto second = JobServer::open(settings, "/nonexistent");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::conflict);
    EXPECT_EQ(access(settings.socket.c_str(), F_OK), 0);
    loop.stop();
    loop.server.reset();
    EXPECT_NE(access(settings.socket.c_str(), F_OK), 0);
    test::leave_stale_socket(settings.socket);
    const auto again = JobServer::open(settings, "/nonexistent");
    EXPECT_TRUE(again) << again.error().message;
  }
}

}  // namespace
}  // namespace aliquot
