#include "tools/ctl/follow.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <zmq.hpp>

#include "manager/api/wire/error_names.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_table.hpp"
#include "tools/ctl/memory_text.hpp"

namespace aliquot::ctl {

using nlohmann::json;

struct EventStream::Subscription {
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::sub};
};

EventStream::EventStream(Session& session, std::optional<JobId> job, std::uint64_t last,
                         std::unique_ptr<Subscription> subscription)
    : session_(session), job_(job), last_(last), subscription_(std::move(subscription)) {}
EventStream::~EventStream() = default;

Result<std::unique_ptr<EventStream>> EventStream::open(Session& session, std::optional<JobId> job,
                                                       std::optional<std::uint64_t> after) {
  const auto hello = session.hello();
  if (!hello) return tl::unexpected<Error>(hello.error());
  auto subscription = std::make_unique<Subscription>();
  try {
    subscription->socket.set(zmq::sockopt::subscribe, job ? "job." + std::to_string(job->raw) + "." : "");
    subscription->socket.set(zmq::sockopt::linger, 0);
    subscription->socket.connect("ipc://" + hello->value("events", std::string()));
  } catch (const zmq::error_t& e) {
    return fail(ErrorKind::unavailable,
                std::string("cannot subscribe to the manager's events: ") + e.what());
  }
  if (!after) {
    const auto status = session.ask(Status{});
    if (!status) return tl::unexpected<Error>(status.error());
    after = status->body.value("last_event", std::uint64_t{0});
  }
  return std::unique_ptr<EventStream>(new EventStream(session, job, *after, std::move(subscription)));
}

Result<std::vector<json>> EventStream::next(Duration patience) {
  try {
    zmq::socket_t& socket = subscription_->socket;
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(patience.raw / 1000));
    zmq::message_t heard;
    while (socket.recv(heard, zmq::recv_flags::dontwait)) continue;
  } catch (const zmq::error_t&) {
    // Interrupted: asking does no harm.
  }
  std::vector<json> rows;
  for (bool more = true; more;) {
    const auto answer = session_.ask(Events{job_, last_, 1000});
    if (!answer) return tl::unexpected<Error>(answer.error());
    for (const json& row : answer->body["events"]) rows.push_back(row);
    last_ = answer->body["last"].get<std::uint64_t>();
    more = answer->body["more"] == true && rows.size() < 100'000;
  }
  return rows;
}

bool has_ended(const json& job) { return !job["ended_at"].is_null(); }

Result<int> wait_for_end(Session& session, JobId job, bool show) {
  auto stream = EventStream::open(session, job, std::nullopt);
  if (!stream) return tl::unexpected<Error>(stream.error());
  while (true) {
    const auto answer = session.ask(Show{job});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    if (has_ended(body)) {
      const std::string state = body["state"];
      const std::string id = std::to_string(job.raw);
      if (show) {
        const auto text = [&](bool wide) {
          return to_text(job_table(json::array({body}), wide), session.style());
        };
        const auto shown = session.show(body, {text, [&id] { return std::vector{id}; }});
        if (!shown) return shown;
      } else {
        Session::say("job " + id + " " + state + " after " + short_seconds(body["turnaround_s"]) +
                     (body["note"] == "" ? "" : ": " + body["note"].get<std::string>()));
        const json& memory = body.value("memory", json());
        if (memory.is_object() && memory["to_declare_bytes"].is_number_integer())
          Session::say("memory: " + memory_text(memory));
      }
      return state == "completed" ? kExitDone : kExitJobFailed;
    }
    if (auto rows = (*stream)->next(seconds(2)); !rows) return tl::unexpected<Error>(rows.error());
  }
}

}  // namespace aliquot::ctl
