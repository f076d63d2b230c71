#include "manager/audit_trail.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "policies/model/units.hpp"

namespace aliquot {
namespace {

constexpr std::int64_t kKeepEveryUs = 60 * kMillion;
constexpr double kRefusalsPerS = 5;
constexpr double kRefusalsAtOnce = 100;
constexpr std::size_t kUsers = 10'000;
constexpr std::int64_t kSayEveryUs = 3600 * kMillion;

// A submission names no job; its answer does.
std::string submitted_job(std::string_view body) {
  const auto answer = nlohmann::json::parse(body, nullptr, false);
  const bool has_job = answer.is_object() && answer.contains("job") && answer["job"].is_number_unsigned();
  return has_job ? "job " + answer["job"].dump() : "";
}

}  // namespace

Result<std::unique_ptr<AuditTrail>> AuditTrail::open(const std::string& directory, Parts parts,
                                                     JobServer& server, const std::string& known,
                                                     BackgroundTasks& reading) {
  const auto say = parts.say;
  auto log = audit::AuditLog::open(directory);
  if (!log) return tl::unexpected<Error>(log.error());
  auto trail = std::make_unique<AuditTrail>(std::move(*log), std::move(parts));
  server.on_turned_away([raw = trail.get()](const AnsweredRequest& request) { raw->answered(request); });
  server.on_refused(
      [raw = trail.get()](const auto& address, const auto& why) { raw->refused(address, why); });
  reading.run([say, directory, head = audit::parse_head(known)] {
    const auto found = audit::verify(directory, head);
    const std::string wrong = found ? "" : found.error().message;
    return std::function<void()>([say, wrong] {
      if (!wrong.empty()) say(LogLevel::error, "audit_broken " + wrong);
    });
  });
  return trail;
}

void AuditTrail::answered(const AnsweredRequest& request) {
  const RequestFacts& facts = request.facts;
  if (!facts.changes && request.code != "forbidden") return;
  audit::Record record{parts_.unix_us(), facts.uid,      facts.pid,    facts.key,
                       facts.address,    request.method, facts.object, request.code};
  if (request.code != "ok") {
    if (!takes_refusal(facts.uid)) return;
    if (const auto left_out = std::exchange(refusals_.at(facts.uid).left_out, 0); left_out > 0)
      record.why = std::to_string(left_out) + " requests like it were refused before it, and left out";
  }
  if (request.method == "submit" && request.code == "ok") record.object = submitted_job(request.body);
  log_->note(std::move(record));
}

bool AuditTrail::takes_refusal(std::uint32_t uid) {
  if (refusals_.size() > kUsers) refusals_.clear();
  Refusals& of_user =
      refusals_.try_emplace(uid, Refusals{TokenBucket(kRefusalsPerS, kRefusalsAtOnce)}).first->second;
  if (of_user.bucket.take(TokenBucket::now())) return true;
  ++of_user.left_out;
  return false;
}

void AuditTrail::refused(const std::string& address, const std::string& why) {
  const std::int64_t now = parts_.unix_us();
  if (refused_at_us_ != 0 && now - refused_at_us_ < kMillion) {
    ++refused_;
    return;
  }
  refused_at_us_ = now;
  const std::uint64_t others = std::exchange(refused_, 0);
  const std::string more = others > 0 ? "; " + std::to_string(others) + " others before it" : "";
  parts_.say(LogLevel::warning, "client_refused address=" + address + " why=\"" + why + more + "\"");
  audit::Record record;
  record.unix_us = now;
  record.uid = UINT32_MAX;
  record.address = address;
  record.method = "handshake";
  record.code = "forbidden";
  record.why = why + more;
  log_->note(std::move(record));
}

void AuditTrail::every_second() {
  const std::int64_t now = parts_.unix_us();
  if (now - kept_at_us_ >= kKeepEveryUs) {
    kept_at_us_ = now;
    keep_head();
  }
  if (now - said_at_us_ < kSayEveryUs) return;
  said_at_us_ = now;
  say_head();
}

AuditTrail::~AuditTrail() {
  log_->flush();
  keep_head();
  say_head();
}

void AuditTrail::say_head() { parts_.say(LogLevel::info, "audit_head " + audit::to_text(log_->head())); }

void AuditTrail::keep_head() {
  const audit::Head head = log_->head();
  if (head == kept_) return;
  kept_ = head;
  parts_.keep(audit::to_text(head));
}

}  // namespace aliquot
