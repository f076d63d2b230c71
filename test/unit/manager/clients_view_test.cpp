// What clients of a whole manager get: long answers in parts, and the events of the job that they follow.
#include <nlohmann/json.hpp>
#include <set>

#include "test/unit/manager/running_daemon.hpp"

namespace aliquot::test {
namespace {

using nlohmann::json;

class ClientsView : public testing::Test {
 protected:
  void submits(std::size_t jobs) {
    Submit submit;
    submit.submission.demand.need = cores(1);
    submit.submission.guest_memory = mebibytes(64);
    submit.submission.program = HashChain{10, 1000};
    for (std::size_t i = 0; i < jobs; ++i) ASSERT_FALSE(client_->ask(header("s"), submit).reply.error);
  }
  void cancels(std::uint64_t job) { EXPECT_FALSE(client_->ask(header("c"), Cancel{{job}}).reply.error); }

  TemporaryDirectory directory_;
  RunningDaemon daemon_{directory_};
  std::unique_ptr<RawClient> client_ = [this] {
    daemon_.start();
    return std::make_unique<RawClient>(daemon_.settings.api.socket);
  }();
};

TEST_F(ClientsView, AListComesInPartsAndHasEachJobOnce) {
  submits(430);
  for (std::uint64_t job = 1; job <= 430; job += 2) cancels(job);
  std::vector<std::uint64_t> jobs;
  std::size_t parts = 0;
  List list{true, 10'000};
  for (json next{1}; !next.is_null(); ++parts) {
    const json page = json::parse(client_->ask(header("l"), list).reply.body);
    EXPECT_LE(page["jobs"].size(), 200U);
    for (const json& job : page["jobs"]) jobs.push_back(job["job"].get<std::uint64_t>());
    next = page["next"];
    EXPECT_EQ(page["more"], !next.is_null());
    list.after.reset();
    list.ended_before.reset();
    if (next.contains("after")) list.after = JobId{next["after"].get<std::uint64_t>()};
    if (next.contains("ended_before")) list.ended_before = JobId{next["ended_before"].get<std::uint64_t>()};
  }
  EXPECT_EQ(parts, 3U);
  EXPECT_EQ(jobs.size(), 430U);
  EXPECT_EQ(std::set<std::uint64_t>(jobs.begin(), jobs.end()).size(), 430U);
  EXPECT_EQ(jobs[0], 2U) << "those that have not ended first";
  EXPECT_EQ(jobs[215], 429U) << "then the others, newest first";
}

TEST_F(ClientsView, ASubscriberToJobOneIsWokenByItAndNotByJobTwelve) {
  submits(12);
  zmq::context_t context;
  zmq::socket_t events(context, zmq::socket_type::sub);
  events.set(zmq::sockopt::subscribe, "job.1.");
  events.set(zmq::sockopt::rcvtimeo, 100);
  events.connect("ipc://" + daemon_.settings.api.events);
  std::string topic;
  for (int i = 0; i < 100 && topic.empty(); ++i) {  // until the subscription is known
    for (const std::uint64_t job : {12U, 1U}) {
      EXPECT_FALSE(client_->ask(header("h"), Hold{{job}}).reply.error);
      EXPECT_FALSE(client_->ask(header("r"), ReleaseJob{{job}}).reply.error);
    }
    for (zmq::message_t frame; events.recv(frame);) {
      const std::string first = frame.to_string();
      while (frame.more()) (void)events.recv(frame);
      EXPECT_EQ(first, "job.1.");
      topic = first;
    }
  }
  EXPECT_EQ(topic, "job.1.");
}

}  // namespace
}  // namespace aliquot::test
