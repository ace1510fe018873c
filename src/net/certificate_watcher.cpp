#include "net/certificate_watcher.h"

#include <utility>

#include "tpu_admission/pki/x509.h"

namespace tpu_admission::net {
namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;

struct Pair {
  Result<std::string> certificate;
  Result<std::string> private_key;
};

bool IsSame(const Result<std::string>& a, const Result<std::string>& b) {
  return a && b && *a == *b;
}

// Both files as of one moment: if the certificate changed while the key was read, again.
Pair ReadPair(const Files& disk, const TlsFiles& files) {
  constexpr int kAttempts = 3;
  const auto read = [&](const std::string& path) { return disk.Read(path, kMaxFileBytes); };
  Pair pair{read(files.certificate), read(files.private_key)};
  for (int attempt = 1; attempt < kAttempts; ++attempt) {
    Result<std::string> again = read(files.certificate);
    const bool same = IsSame(again, pair.certificate);
    pair.certificate = std::move(again);
    if (same) break;
    pair.private_key = read(files.private_key);
  }
  return pair;
}

CertificateWatcher::Look Unreadable(const char* what, const Error& error) {
  using Outcome = CertificateWatcher::Outcome;
  const bool missing = error.code == std::errc::no_such_file_or_directory ||
                       error.code == std::errc::not_a_directory;
  return {missing ? Outcome::kMissing : Outcome::kFailed,
          std::string("cannot read TLS ") + what + " " + error.message};
}

// Why no client would take it at `now`; "" if one would.
std::string WhyInvalid(const pki::Validity& validity, Clock::Wall now) {
  if (validity.Contains(now)) return "";
  const bool over = now >= validity.not_after;
  return (over ? "it expired at " : "it is not valid before ") +
         UtcText(over ? validity.not_after : validity.not_before) + ", and it is " + UtcText(now) +
         " now";
}

}  // namespace

CertificateWatcher::CertificateWatcher(TlsFiles files, const Clock& clock, ServerObserver& observer)
    : files_(std::move(files)), clock_(clock), observer_(observer) {}

std::shared_ptr<const TlsContext> CertificateWatcher::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

CertificateWatcher::Look CertificateWatcher::Poll() {
  Look look = Load();
  if (look.outcome == Outcome::kLoaded) {
    const auto loaded = current();
    observer_.OnCertificateLoaded(loaded->validity().not_after, loaded->subject());
  } else if (look.outcome != Outcome::kUnchanged) {
    observer_.OnCertificateError(look.why);
  }
  return look;
}

CertificateWatcher::Look CertificateWatcher::Load() {
  Pair pair = ReadPair(disk_, files_);
  if (!pair.certificate) return Unreadable("certificate", pair.certificate.error());
  if (!pair.private_key) return Unreadable("private key", pair.private_key.error());
  if (!certificate_.empty() && *pair.certificate == certificate_ &&
      *pair.private_key == private_key_) {
    return {Outcome::kUnchanged, {}};
  }
  auto made = TlsContext::FromPem(*pair.certificate, *pair.private_key, files_.allow_tls12);
  const std::string fault =
      made ? WhyInvalid((*made)->validity(), clock_.Now()) : made.error().message;
  if (!fault.empty()) {
    return {Outcome::kFailed, "cannot use TLS certificate " + files_.certificate + " with key " +
                                  files_.private_key + ": " + fault};
  }
  certificate_ = std::move(*pair.certificate);
  private_key_ = std::move(*pair.private_key);
  const MutexLock lock(mutex_);
  current_ = std::move(*made);
  return {Outcome::kLoaded, {}};
}

}  // namespace tpu_admission::net
