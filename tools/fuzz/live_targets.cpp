// The readers of the manager and of the command line, by kind:
//
//   request     frames of a request, a line "--frame--" between two of them
//   zmtp        the bytes of a connection
//   settings    aliquot.yaml
//   job         a job file of `aliquot submit -f`
//   http        the head of an HTTP request
//   snapshot    the state in a row of the store, from which the manager then goes on
//   steps       a state, and steps that are replayed, a line each, as in rows of the store
//   store       changed bytes of a store: four bytes each, three for the place, one for the value
//   outcome     the record of an ended job
//   metadata    what a domain on a node says of itself
//   status      the status channel of a guest
//   boot        a kernel or a disk image that a user hands in
//   agent       what a manager and the agent of a node say to each other
#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "config/dump.hpp"
#include "config/load.hpp"
#include "manager/api/wire/message_reader.hpp"
#include "manager/api/wire/protocol.hpp"
#include "manager/core/recorded.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/status_channel.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "manager/intake/boot_file.hpp"
#include "manager/store/maintenance.hpp"
#include "manager/store/sqlite_store.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec.hpp"
#include "monitor/codec_step.hpp"
#include "monitor/http_message.hpp"
#include "tools/ctl/job_text.hpp"
#include "tools/fuzz/short_life.hpp"
#include "tools/fuzz/targets.hpp"

namespace aliquot::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kBetweenFrames = "\n--frame--\n";

std::vector<std::string> split(const std::string& text, std::string_view mark) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(mark, from)) != std::string::npos; from = at + mark.size())
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}

std::string check_refusal(const Error& error) {
  if (error.message.empty()) return "an error without a message";
  if (error.kind == ErrorKind::internal) return "an internal error: " + error.message;
  return {};
}

// --- what clients send ---

std::string try_request(const std::string& input) {
  const Frames frames = split(input, kBetweenFrames);
  const auto read = decode_request(frames);
  if (!read) return check_refusal(read.error().error);
  const Frames again = encode_request(read->header, read->request);
  const auto twice = decode_request(again);
  if (!twice) return "its own request is refused: " + twice.error().error.message;
  return encode_request(twice->header, twice->request) == again ? "" : "it reads back as another";
}

struct Heard {
  std::vector<std::string> frames;  // of all messages; an empty one between two messages
  std::string reply;
  bool invalid = false;
  bool hangs = false;
  friend bool operator==(const Heard&, const Heard&) = default;
};

// A connection whose bytes arrive in pieces of this size.
Heard listen(const std::string& input, std::size_t piece) {
  ByteBudget budget(std::size_t{1} << 21, std::size_t{1} << 20);
  MessageReader reader({std::size_t{1} << 20, 6});
  const auto reserve = [&](std::size_t bytes) { return budget.reserve(1, bytes); };
  Heard heard;
  for (std::size_t at = 0; at < input.size() && !heard.invalid && !heard.hangs;) {
    const std::size_t size = std::min({reader.space(), piece, input.size() - at});
    reader.append(std::string_view(input).substr(at, size));
    at += size;
    auto progress = MessageReader::Progress::some;
    while (progress == MessageReader::Progress::some || progress == MessageReader::Progress::message) {
      progress = reader.advance(reserve, "ROUTER", heard.reply);
      if (progress != MessageReader::Progress::message) continue;
      for (MessageReader::Frame& frame : reader.take_message())
        heard.frames.push_back(std::move(frame.bytes));
      heard.frames.emplace_back();
    }
    heard.invalid = progress == MessageReader::Progress::invalid;
    heard.hangs = size == 0 && progress == MessageReader::Progress::none && !reader.waits_for_memory();
    if (reader.waits_for_memory() && size == 0) break;
  }
  return heard;
}

std::string try_zmtp(const std::string& input) {
  const Heard whole = listen(input, 1 << 16);
  if (whole.hangs) return "it takes no more bytes and waits for nothing";
  for (const std::size_t piece : {1, 3, 1000})
    if (listen(input, piece) != whole)
      return "in pieces of " + std::to_string(piece) + " it hears something else";
  return {};
}

std::string try_http(const std::string& input) {
  const auto read = parse_http_head(input);
  if (!read)
    return read.error().status >= 400 ? "" : "a refusal with status " + std::to_string(read.error().status);
  if (read->path.empty() || read->path[0] != '/') return "a path that is none: " + read->path;
  const std::string answer =
      encode_http_answer({404, "text/plain", "no"}, read->head_only, read->keep_alive);
  return answer.find("\r\n\r\n") == std::string::npos ? "an answer without an end of its head" : "";
}

// --- what operators and users write ---

std::string try_settings(const std::string& input) {
  const auto accept = [](const std::string&) -> Result<void> { return {}; };
  const auto read = read_settings(input, "aliquot.yaml", accept);
  if (!read) {
    for (const Fault& fault : read.error())
      if (fault.text.empty()) return "a fault without a text";
    return read.error().empty() ? "refused without a fault" : "";
  }
  const std::string dumped = dump_settings(*read);
  const auto again = read_settings(dumped, "dumped.yaml", accept);
  if (!again) return "its own dump is refused: " + as_error(again.error()).message;
  return {};
}

std::string try_job(const std::string& input) {
  const auto read = ctl::read_job_text(input, "job.yaml");
  if (!read) return check_refusal(read.error());
  const auto submit = ctl::to_submit(*read, cores(1));
  return submit ? "" : check_refusal(submit.error());
}

// --- what lies on a disk ---

Result<std::unique_ptr<Scheduler>> go_on_from(CoreState state) {
  if (auto sound = check_recorded(state); !sound) return tl::unexpected(sound.error());
  auto policy = make_policy(state.policy);
  if (!policy) return tl::unexpected(policy.error());
  return std::make_unique<Scheduler>(Cluster(std::move(state)), std::move(*policy));
}

// A manager that recovers makes one step, in which it decides.
void make_a_step(Scheduler& scheduler) {
  const Instant now = scheduler.cluster().view().now;
  (void)scheduler.round(now + seconds(1), {Restarted{2}, NodeChanged{{0}, NodeState::up, "it answers"}});
}

std::string try_snapshot(const std::string& input) {
  auto state = decode_state(input);
  if (!state) return check_refusal(state.error());
  const std::string text = encode_state(*state);
  const auto again = decode_state(text);
  if (!again) return "its own state is refused: " + again.error().message;
  if (encode_state(*again) != text) return "its own state reads back as another";
  auto scheduler = go_on_from(std::move(*state));
  if (!scheduler) return check_refusal(scheduler.error());
  make_a_step(**scheduler);
  return {};
}

std::string try_steps(const std::string& input) {
  const std::vector<std::string> lines = split(input, "\n");
  auto state = decode_state(lines.front());
  if (!state) return check_refusal(state.error());
  auto scheduler = go_on_from(std::move(*state));
  if (!scheduler) return check_refusal(scheduler.error());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto step = decode_step(lines[i]);
    if (!step) return check_refusal(step.error());
    if (const auto replayed = (*scheduler)->replay(*step); !replayed)
      return check_refusal(replayed.error());
  }
  make_a_step(**scheduler);
  return {};
}

std::string try_outcome(const std::string& input) {
  const auto outcome = decode<JobOutcome>(input);
  if (!outcome) return check_refusal(outcome.error());
  const std::string text = encode(*outcome);
  const auto again = decode<JobOutcome>(text);
  return again && encode(*again) == text ? "" : "its own record reads back as another";
}

const Life& known_life() {
  static const Life life = short_life();
  return life;
}

void remove_store(const std::string& path) {
  std::error_code ignored;
  for (const char* end : {"", "-wal", "-shm", ".lock", ".durable"}) fs::remove(path + end, ignored);
}

std::string try_store(const std::string& input, const std::string& scratch) {
  const std::string path = scratch + ".db";
  static const std::string sound = [&] {
    remove_store(path);
    return store_bytes(known_life(), path);
  }();
  if (sound.empty()) return "the store to begin with could not be made";
  std::string bytes = sound;
  for (std::size_t i = 0; i + 3 < input.size(); i += 4) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < 3; ++k) place = place << 8U | static_cast<unsigned char>(input[i + k]);
    bytes[place % bytes.size()] = input[i + 3];
  }
  remove_store(path);
  std::ofstream(path, std::ios::binary) << bytes;
  std::string wrong;
  if (const auto checked = check_store(path); !checked) wrong = check_refusal(checked.error());
  {
    SqliteStore store(path);
    auto recovered = store.recover();
    if (!recovered) {
      wrong += check_refusal(recovered.error());
    } else {
      auto scheduler =
          go_on_from(recovered->snapshot ? std::move(*recovered->snapshot) : known_life().begin);
      for (const Step& step : recovered->steps)
        if (!scheduler || !(*scheduler)->replay(step)) break;
      store.start([](std::uint64_t) {}, [](const Error&) {});
      for (const JobOutcome& outcome : store.ended_jobs(100)) (void)store.cpu_use(outcome.job);
      (void)store.events(std::nullopt, 0, 1000);
      (void)store.accounts();
    }
  }
  remove_store(path);
  return wrong;
}

// --- what nodes, guests and users' files say ---

std::string try_metadata(const std::string& input) {
  const auto read = parse_metadata(input);
  if (!read) return check_refusal(read.error());
  const auto again = parse_metadata(metadata_element(*read));
  return again && again->job == read->job && again->cluster == read->cluster ? ""
                                                                             : "it reads back as another";
}

template <class T>
std::string try_wire(const Result<T>& read, Result<T> (*decode)(std::string_view)) {
  if (!read) return check_refusal(read.error());
  const std::string text = agent::encode(*read);
  const auto again = decode(text);
  if (!again) return "its own message is refused: " + again.error().message;
  return agent::encode(*again) == text ? "" : "its own message reads back as another";
}

std::string try_agent(const std::string& input) {
  std::string wrong = try_wire(agent::decode_head(input), agent::decode_head);
  if (wrong.empty()) wrong = try_wire(agent::decode_to_agent(input), agent::decode_to_agent);
  if (wrong.empty()) wrong = try_wire(agent::decode_from_agent(input), agent::decode_from_agent);
  return wrong;
}

std::string try_boot(const std::string& input, const std::string& scratch) {
  std::ofstream(scratch, std::ios::binary | std::ios::trunc) << input;
  const Descriptor file(::open(scratch.c_str(), O_RDONLY | O_CLOEXEC));
  for (const BootFile kind : {BootFile::kernel, BootFile::initrd, BootFile::image}) {
    const auto good = check_boot_file(kind, file.get(), "the file");
    if (good) continue;
    if (std::string wrong = check_refusal(good.error()); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace

const char* const kProgram = "fuzz-manager";

std::vector<Seed> made_seeds() {
  const Life& life = known_life();
  std::vector<Seed> seeds{{"snapshot", "begin", encode_state(life.begin)},
                          {"snapshot", "end", encode_state(life.end)}};
  std::string lines = encode_state(life.begin);
  for (const Step& step : life.steps) {
    lines += "\n" + encode_step(step);
    for (const JobOutcome& outcome : step.ended)
      seeds.push_back({"outcome", std::to_string(outcome.job.raw), encode(outcome)});
  }
  seeds.push_back({"steps", "life", lines});
  seeds.push_back({"settings", "example", example_settings()});
  seeds.push_back({"store", "byte", std::string("\0\x20\x10\x31\0\x30\x10\xff", 8)});
  seeds.push_back({"metadata", "element", metadata_element({"0123456789abcdef", {7}, 1, 2, 3})});
  return seeds;
}

std::string try_input(const std::string& kind, const std::string& input, const std::string& scratch) {
  if (kind == "request") return try_request(input);
  if (kind == "zmtp") return try_zmtp(input);
  if (kind == "settings") return try_settings(input);
  if (kind == "job") return try_job(input);
  if (kind == "http") return try_http(input);
  if (kind == "snapshot") return try_snapshot(input);
  if (kind == "steps") return try_steps(input);
  if (kind == "store") return try_store(input, scratch);
  if (kind == "outcome") return try_outcome(input);
  if (kind == "metadata") return try_metadata(input);
  if (kind == "status") return (void)exit_status(input), std::string();
  if (kind == "boot") return try_boot(input, scratch);
  if (kind == "agent") return try_agent(input);
  return "no target reads the kind " + kind;
}

}  // namespace aliquot::fuzz
