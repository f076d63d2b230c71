#include "manager/submission_files.hpp"

#include "manager/api/wire/protocol.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kCopies = 64, kCopiesOfUser = 4;  // that wait, at most

Result<Program> take(SubmissionFiles::Handed handed, const IntakeRules& rules, ArchiveQuota quota,
                     ContentStore& contents, ImageStore& images) {
  const std::string* named = archive_of(handed.program);
  if (named && !named->empty() && handed.archive_file.empty())
    if (auto whole = check_archive(handed.archive.bytes, *named); !whole)
      return tl::unexpected<Error>(whole.error());
  if (handed.dry_run) return check_files(std::move(handed.program), handed.user, rules, images);
  const HandedArchive archive{handed.archive.bytes, handed.archive_file, handed.archive_size,
                              std::move(quota)};
  return take_in(std::move(handed.program), archive, handed.user, rules, contents, images);
}

// The contents that jobs of the user have as their archives, if the request brings one as a file.
std::set<std::string> archives_beside(const Submit& request, std::uint32_t uid, const CoreState& state) {
  std::set<std::string> out;
  if (request.archive_file.empty()) return out;
  for (const auto& [id, record] : state.records)
    if (const auto* sha256 = archive_of(record.submission->program);
        sha256 != nullptr && !sha256->empty() && record.submission->uid == uid)
      out.insert(*sha256);
  return out;
}

}  // namespace

SubmissionFiles::Handed handed_over(const Submit& request, const Submission& submission, Blob archive,
                                    const Peer& peer, const CoreState& state) {
  return {submission.program,
          std::move(archive),
          request.archive_file,
          {static_cast<std::int64_t>(request.archive_bytes)},
          archives_beside(request, peer.uid, state),
          {peer.uid, peer.gid, peer.groups},
          submission.guest_memory,
          submission.demand.hypervisor,
          request.dry_run};
}

IntakeRules SubmissionFiles::rules_for(const Handed& handed) const {
  return {settings_.files.roots, settings_.files.max_size, handed.guest_memory, handed.hypervisor};
}

void SubmissionFiles::take(Handed handed, Done done) {
  if (!handed.archive_file.empty()) return copy(std::move(handed), std::move(done));
  const std::size_t size = handed.archive.bytes.size();
  const auto limit = static_cast<std::size_t>(2 * settings_.api.max_request.raw);
  if (archive_bytes_ > 0 && archive_bytes_ + size > limit)
    return done(fail(ErrorKind::unavailable, "the manager is busy storing programs of " +
                                                 std::to_string(archive_bytes_) +
                                                 " bytes; ask again in a second"));
  archive_bytes_ += size;
  const IntakeRules rules = rules_for(handed);
  tasks_.run([this, size, rules, handed = std::move(handed),
              done = std::move(done)]() mutable -> std::function<void()> {
    auto program = aliquot::take(std::move(handed), rules, {}, contents_, images_);
    return [this, size, program = std::move(program), done = std::move(done)]() mutable {
      archive_bytes_ -= size;
      done(std::move(program));
    };
  });
}

void SubmissionFiles::copy(Handed handed, Done done) {
  const std::uint32_t uid = handed.user.uid;
  const std::size_t own = copying_.count(uid);
  if (copying_.size() >= kCopies || own >= kCopiesOfUser)
    return done(fail(ErrorKind::unavailable, "the input files of " + std::to_string(copying_.size()) +
                                                 " submissions wait to be copied, " + std::to_string(own) +
                                                 " of them yours; ask again in a minute"));
  ArchiveQuota quota{settings_.limits.max_stage_in_per_user, {}, std::move(handed.kept)};
  const auto [first, last] = copying_.equal_range(uid);
  for (auto each = first; each != last; ++each) quota.waiting += each->second;
  const auto row = copying_.emplace(uid, handed.archive_size);
  const IntakeRules rules = rules_for(handed);
  copies_.run([this, row, quota = std::move(quota), rules, handed = std::move(handed),
               done = std::move(done)]() mutable -> std::function<void()> {
    auto program = aliquot::take(std::move(handed), rules, std::move(quota), contents_, images_);
    return [this, row, program = std::move(program), done = std::move(done)]() mutable {
      copying_.erase(row);
      done(std::move(program));
    };
  });
}

std::optional<CopyUnderWay> SubmissionFiles::copying(std::uint32_t uid) const {
  const auto copy = contents_.copying(uid);
  return copy ? std::optional(CopyUnderWay{copy->done, copy->of}) : std::nullopt;
}

void SubmissionFiles::use_again(const Program& program) {
  for (const std::string& content : contents_of(program)) (void)contents_.use(content);  // it is there
}

void SubmissionFiles::release(const Program& program) {
  tasks_.run([this, contents = contents_of(program)]() -> std::function<void()> {
    contents_.release(contents);
    return {};
  });
}

}  // namespace aliquot
