#include "manager/hypervisor/agent/agent_connection.hpp"

#include <fcntl.h>
#include <sys/random.h>

#include <utility>

namespace aliquot::agent {
namespace {

constexpr auto kSilence = std::chrono::seconds(5);  // an agent says something each second
constexpr std::size_t kMostUnacknowledged = 256U << 20;

std::string random_name() {
  std::array<std::uint8_t, 16> bytes{};
  (void)::getrandom(bytes.data(), bytes.size(), 0);
  return to_string(Uuid(bytes));
}

}  // namespace

AgentConnection::AgentConnection(zmq::context_t& context, const KeyPair& own, Address address, Hello hello,
                                 Listener listener)
    : address_(std::move(address)),
      listener_(std::move(listener)),
      socket_(client_socket(context, own, address_.key)),
      hello_(std::move(hello)) {
  hello_.session = random_name();
  socket_.connect(address_.endpoint);
}

bool AgentConnection::is_up(Clock::time_point now) const { return is_open_ && now - heard_ < kSilence; }

bool AgentConnection::is_opening(Clock::time_point now) const {
  return !is_open_ && !is_refused_ && now - begun_ < kSilence;
}

std::uint64_t AgentConnection::send(const ToAgent& message) {
  const std::uint64_t number = link_.send(encode(message));
  if (link_.unacknowledged_bytes() > kMostUnacknowledged) begin_session("its agent takes no messages");
  return number;
}

void AgentConnection::begin_session(const std::string& why) {
  hello_.session = random_name();
  link_ = {};
  is_open_ = is_refused_ = false;
  begun_ = Clock::now();
  why_not_ = why;
  listener_.lost(why);
  greet();
}

void AgentConnection::greet() {
  if (is_open_) return;
  agent::transmit(socket_, std::nullopt, {encode(Head{hello_}), {}});
}

void AgentConnection::read(Clock::time_point now) {
  while (const auto received = receive(socket_, false)) take(received->frames, now);
}

void AgentConnection::take(const Frames& frames, Clock::time_point now) {
  auto head = decode_head(frames.head);
  if (!head) return refuse(head.error());
  if (const auto* packet = std::get_if<Numbered>(&*head)) return take_packet(*packet, frames.message, now);
  if (const auto* welcome = std::get_if<Welcome>(&*head); welcome && welcome->session == hello_.session) {
    heard_ = now;
    if (is_open_) return;
    const auto usable = listener_.opened(*welcome);
    is_open_ = usable.has_value();
    is_refused_ = !is_open_;
    why_not_ = usable ? "its agent does not answer" : usable.error().message;
  }
  if (const auto* refused = std::get_if<Refused>(&*head); refused && refused->session == hello_.session) {
    is_refused_ = true;
    why_not_ = "its agent refuses this manager: " + refused->why.message;
  }
  if (const auto* unknown = std::get_if<Unknown>(&*head);
      unknown && unknown->session == hello_.session && is_open_)
    begin_session("its agent has started anew");
}

void AgentConnection::take_packet(const Numbered& packet, std::string message, Clock::time_point now) {
  if (!is_open_ || packet.session != hello_.session) return;
  heard_ = now;
  const auto text = link_.receive({packet.number, packet.acknowledged, std::move(message)});
  if (!text) return;
  auto said = decode_from_agent(*text);
  if (said) return listener_.said(std::move(*said));
  refuse(said.error());
}

// Whoever sends this holds the agent's key and does not speak its language: what was under way with it is
// unclear.
void AgentConnection::refuse(const Error& why) {
  listener_.refused();
  const std::string said = "its agent sent a message that is not understood: " + why.message;
  if (is_open_) return begin_session(said);
  why_not_ = said;
}

void AgentConnection::transmit() {
  if (!is_open_) return;
  for (const Packet& packet : link_.take_outgoing())
    agent::transmit(
        socket_, std::nullopt,
        {encode(Head{Numbered{hello_.session, packet.number, packet.acknowledged}}), packet.message});
}

void AgentConnection::every_second(Clock::time_point now) {
  if (!is_open_) return;
  link_.every_second();
  const Packet packet = link_.acknowledgement();
  agent::transmit(socket_, std::nullopt,
                  {encode(Head{Numbered{hello_.session, packet.number, packet.acknowledged}}), {}});
  if (now - heard_ >= kSilence) why_not_ = "its agent does not answer";
}

}  // namespace aliquot::agent
