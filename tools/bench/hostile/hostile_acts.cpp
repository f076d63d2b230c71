#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/zmtp.hpp"
#include "tools/bench/hostile/hostile_client.hpp"

namespace aliquot::siege {
namespace {

using std::chrono::milliseconds;
using Door = HostileAct::Door;
using Reads = HostileAct::Reads;

std::string greets(const std::string& type) {
  std::string command("\5READY\13Socket-Type\0\0\0", 21);
  command += static_cast<char>(type.size());
  command += type;
  std::string frame(1, '\4');
  frame += static_cast<char>(command.size());
  return zmtp::greeting() + frame + command;
}

std::string asks(const Request& request, const std::string& ticket = "") {
  RequestHeader header;
  header.id = "1";
  header.ticket = ticket;
  return zmtp::encode(encode_request(header, request));
}

std::string many_times(const std::string& bytes, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += bytes;
  return all;
}

std::function<std::string(const std::string&)> always(std::string bytes) {
  return [bytes = std::move(bytes)](const std::string&) { return bytes; };
}

// A body as large and as rich as the protocol allows, of a field that no request has.
std::string heavy_body() {
  std::string body = "{\"x\":[";
  for (int i = 0; i < 8000; ++i) body += "\"" + std::string(26, 'x') + "\",";
  return body + "0]}";
}

// With an archive that is not what its hash says: hashed, and refused.
std::string uploads(const std::string& ticket, std::size_t bytes) {
  Submit submit;
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(512);
  submit.submission.program = LinuxCommand{{"true"}, ""};
  submit.archive = std::string(bytes, 'x');
  RequestHeader header;
  header.id = "1";
  header.ticket = ticket;
  Frames frames = encode_request(header, submit);
  frames.back().back() = 'y';
  return zmtp::encode(frames);
}

List everything() { return List{true, 10'000}; }

std::vector<HostileAct> of_the_api() {
  const std::string dealer = greets("DEALER");
  const std::string hello = dealer + asks(Hello{});
  const std::string header = R"({"id":"1","method":"list"})";
  Events events;
  events.limit = 10'000;
  return {
      {"does not read `list`", Door::api, Reads::nothing, dealer, always(asks(everything()))},
      {"reads `list` by bytes", Door::api, Reads::trickle, dealer, always(asks(everything()))},
      {"floods `status`", Door::api, Reads::all, dealer, always(many_times(asks(Status{}), 100))},
      {"floods `status` unread", Door::api, Reads::nothing, dealer,
       always(many_times(asks(Status{}), 100))},
      {"asks huge answers", Door::api, Reads::all, dealer, always(asks(everything()) + asks(events))},
      {"floods `why` and `plan`", Door::api, Reads::all, dealer, always(asks(Why{{1}}) + asks(PlanShow{}))},
      {"heavy bodies", Door::api, Reads::all, dealer,
       always(zmtp::encode({kProtocol, header, heavy_body()}))},
      {"uploads", Door::api, Reads::all, hello,
       [](const std::string& ticket) { return ticket.empty() ? "" : uploads(ticket, 8U << 20); }},
      {"uploads the largest, without a ticket", Door::api, Reads::all, dealer,
       always(uploads("", 60U << 20)), milliseconds(1000)},
      {"begins uploads", Door::api, Reads::nothing, dealer,
       always(uploads("", 60U << 20).substr(0, 1U << 20)), milliseconds(3'600'000)},
      {"endless frames", Door::api, Reads::all, dealer,
       always(many_times(std::string("\1\1x", 3), 10'000))},
      {"endless large frames", Door::api, Reads::all, dealer,
       always(std::string("\3\0\0\0\0\0\1\0\0", 9) + std::string(65'536, 'x'))},
      {"connects and leaves", Door::api, Reads::all, hello, {}, {}, milliseconds(10)},
      {"half a greeting", Door::api, Reads::nothing, zmtp::greeting().substr(0, 30), {}},
      {"noise", Door::api, Reads::all, std::string(65'536, '\xa5'), {}},
  };
}

std::vector<HostileAct> of_the_other_doors() {
  std::string topics = greets("SUB");
  for (int i = 0; i < 60; ++i) topics += zmtp::encode({"\1job." + std::to_string(i)});
  const std::string all = greets("SUB") + zmtp::encode({"\1"});
  const auto get = [](const std::string& path) { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"; };
  return {
      {"subscribes unread", Door::events, Reads::nothing, all, {}},
      {"subscribes without end", Door::events, Reads::all, topics,
       always(zmtp::encode({"\1" + std::string(100, 't')}) + zmtp::encode({"\1u" + std::string(90, 't')}))},
      {"slow HTTP request", Door::http, Reads::all, "GET /metrics HTTP/1.1\r\n", always("X"),
       milliseconds(500)},
      {"slow HTTP reader", Door::http, Reads::trickle, get("/metrics"), always(get("/metrics"))},
      {"floods /metrics", Door::http, Reads::all, get("/metrics"), always(get("/metrics")),
       milliseconds(1)},
      {"floods the console", Door::http, Reads::nothing, get("/console.js"), always(get("/console.js"))},
      {"silent on HTTP", Door::http, Reads::all, "", {}},
  };
}

}  // namespace

std::vector<HostileAct> hostile_acts() {
  std::vector<HostileAct> acts = of_the_api();
  for (HostileAct& act : of_the_other_doors()) acts.push_back(std::move(act));
  return acts;
}

}  // namespace aliquot::siege
