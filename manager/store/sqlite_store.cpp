#include "manager/store/sqlite_store.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "manager/store/reader.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/snapshot_encoder.hpp"
#include "manager/store/store_lock.hpp"
#include "manager/store/writer.hpp"

namespace aliquot {

SqliteStore::SqliteStore(std::string path, Retention retention, Admit admit, const Replication* replication)
    : path_(std::move(path)), retention_(retention), admit_(std::move(admit)), replication_(replication) {}
SqliteStore::~SqliteStore() = default;

Result<Recovered> SqliteStore::recover(std::optional<KnownStep> known) {
  if (auto made = make_directory_of(path_); !made) return tl::unexpected<Error>(made.error());
  auto lock = StoreLock::take(path_);
  if (!lock) return tl::unexpected<Error>(lock.error());
  // Before the store is opened for writing: its log would be cut at the damage when it is closed.
  if (auto whole = refuse_cut_off(path_); !whole) return tl::unexpected<Error>(whole.error());
  auto db = open_for_writing(path_);
  if (!db) return tl::unexpected<Error>(db.error());
  auto recovered = read_state(*db, known);
  if (!recovered) return recovered;
  if (auto good = admit_ ? admit_(recovered->cluster_id) : Result<void>(); !good)
    return tl::unexpected<Error>(good.error());
  if (auto begun = begin_epoch(*db, *recovered, replication_); !begun)
    return tl::unexpected<Error>(begun.error());
  auto reader = Reader::open(path_);
  if (!reader) return tl::unexpected<Error>(reader.error());
  auto commit = GroupCommit::open(std::move(*db), retention_, recovered->cluster_id, replication_);
  if (!commit) return tl::unexpected<Error>(commit.error());
  lock_ = std::make_unique<StoreLock>(std::move(*lock));
  reader_ = std::move(*reader);
  writer_ = std::make_unique<Writer>(std::move(*commit));
  encoder_ = std::make_unique<SnapshotEncoder>([this](Snapshot text) { writer_->put(std::move(text)); });
  return recovered;
}

void SqliteStore::start(Durable durable, Failed failed) {
  writer_->start(std::move(durable), std::move(failed));
}
void SqliteStore::on_blocked(Blocked blocked) { writer_->on_blocked(std::move(blocked)); }
void SqliteStore::append(Step step) { writer_->put(std::move(step)); }
void SqliteStore::snapshot(CoreState state) { encoder_->put(std::move(state)); }
void SqliteStore::keep_cpu(std::vector<std::pair<JobId, JobUse>> uses, std::vector<HourUse> hours) {
  writer_->put(CpuUses{std::move(uses), std::move(hours)});
}
void SqliteStore::keep_accounts(std::vector<std::pair<std::string, AccountUse>> totals,
                                std::vector<JobId> counted) {
  writer_->put(AccountUses{std::move(totals), std::move(counted)});
}
void SqliteStore::keep_clock(ClockRow row) { writer_->put(std::move(row)); }
void SqliteStore::keep_nodes(std::string text) { writer_->put(KnownNodes{std::move(text)}); }
void SqliteStore::keep_learned(std::string name, std::string text) {
  writer_->put(Learned{std::move(name), std::move(text)});
}
bool SqliteStore::is_surely_ours() const { return !replication_ || replication_->is_surely_ours(); }
bool SqliteStore::flush() {
  encoder_->flush();
  return writer_->flush();
}
void SqliteStore::remember_answer(const IdempotencyKey& key, Answered answer) {
  writer_->put(Answer{key, std::move(answer)});
}

// Looks at pending work before the file: in between, work may move from the queue to the file, but never
// back.
std::optional<JobOutcome> SqliteStore::ended(JobId job) const {
  if (auto pending = writer_->pending_outcome(job)) return pending;
  auto found = reader_->ended(job);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return std::nullopt;
}

namespace {

// Appends those that are not there yet.
void add_older(std::vector<JobOutcome>& newest_first, std::vector<JobOutcome> older) {
  std::set<JobId> known;
  for (const JobOutcome& outcome : newest_first) known.insert(outcome.job);
  for (JobOutcome& outcome : older)
    if (!known.contains(outcome.job)) newest_first.push_back(std::move(outcome));
}

bool is_of(const EndedPage& page, const JobOutcome& outcome) {
  const auto& member = outcome.submission->member;
  return page.array ? member && member->array == *page.array : !member;
}

}  // namespace

std::vector<JobOutcome> SqliteStore::ended_page(const EndedPage& page) const {
  std::vector<JobOutcome> result = writer_->pending_outcomes();
  std::reverse(result.begin(), result.end());
  EndedPage on_disk = page;
  const auto is_before = [&page](const JobOutcome& outcome) { return outcome.job == page.before; };
  if (page.before && std::ranges::none_of(result, is_before)) {
    result.clear();  // they are all newer
  } else {
    on_disk.before.reset();
    on_disk.newest += result.size();
  }
  auto found = reader_->ended_page(on_disk);
  if (!found) {
    writer_->fail_with(found.error());
    return {};
  }
  add_older(result, std::move(*found));
  if (const auto at = std::ranges::find_if(result, is_before); at != result.end())
    result.erase(result.begin(), std::next(at));
  std::erase_if(result, [&page](const JobOutcome& outcome) { return !is_of(page, outcome); });
  if (result.size() > page.newest) result.resize(page.newest);
  return result;
}

std::optional<JobOutcome> SqliteStore::ended_member(const ArrayMember& member) const {
  for (JobOutcome& outcome : writer_->pending_outcomes())
    if (outcome.submission->member == member) return std::move(outcome);
  auto found = reader_->ended_member(member);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return std::nullopt;
}

std::vector<JobOutcome> SqliteStore::ended_jobs(std::size_t newest) const {
  std::vector<JobOutcome> result = writer_->pending_outcomes();
  std::reverse(result.begin(), result.end());
  auto found = reader_->ended_jobs(newest);
  if (!found) {
    writer_->fail_with(found.error());
    return {};
  }
  add_older(result, std::move(*found));
  if (result.size() > newest) result.resize(newest);
  return result;
}

std::optional<JobUse> SqliteStore::cpu_use(JobId job) const {
  auto found = reader_->cpu_use(job);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return std::nullopt;
}

CpuByUser SqliteStore::cpu_between(std::int64_t first, std::int64_t end) const {
  auto found = reader_->cpu_between(first, end);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return {};
}

CpuByJob SqliteStore::cpu_of_jobs(const JobHours& span) const {
  auto found = reader_->cpu_of_jobs(span);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return {};
}

std::vector<std::pair<std::string, AccountUse>> SqliteStore::accounts() const {
  auto found = reader_->accounts();
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return {};
}

std::vector<JobId> SqliteStore::uncounted() const {
  auto found = reader_->uncounted();
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return {};
}

std::vector<LoggedEvent> SqliteStore::events(std::optional<JobId> job, std::uint64_t after,
                                             std::size_t at_most) const {
  auto found = reader_->events(job, after, at_most);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return {};
}

std::vector<LoggedEvent> SqliteStore::events_before(std::optional<JobId> job, std::uint64_t before,
                                                    std::size_t at_most) const {
  auto found = reader_->events_before(job, before, at_most);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return {};
}

std::vector<LoggedEvent> SqliteStore::story(JobId job, std::size_t newest) const {
  auto found = reader_->story(job, newest);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return {};
}

std::uint64_t SqliteStore::newest_event() const {
  const auto newest = reader_->newest_event();
  if (newest) return *newest;
  writer_->fail_with(newest.error());
  return 0;
}

std::optional<Store::Answered> SqliteStore::answered(const IdempotencyKey& key) const {
  if (auto pending = writer_->pending_answer(key)) return pending;
  auto found = reader_->answered(key);
  if (found) return std::move(*found);
  writer_->fail_with(found.error());
  return std::nullopt;
}

}  // namespace aliquot
