#include "controller/plan.h"

#include <algorithm>
#include <utility>

namespace tpu_admission::controller {
namespace {

using std::chrono::seconds;

using Names = std::vector<std::string>;

// A third of a life is left for renewing: what cert-manager and the kubelet leave, too.
bool IsDue(const pki::Validity& validity, Clock::Wall now) {
  return validity.not_after - now < (validity.not_after - validity.not_before) / 3;
}

bool IsUsable(const std::optional<Authority>& authority, Clock::Wall now) {
  return authority && authority->certificate.validity.Contains(now);
}

// Why the serving certificate is of no use; "" if it is good.
std::string ServingFault(const Material& material, const Names& names, Clock::Wall now) {
  if (!material.serving) {
    for (const std::string& fault : material.faults) {
      if (fault.starts_with("tls.")) return fault;
    }
    return "there is no serving certificate";
  }
  const pki::Certificate& certificate = material.serving->certificate;
  for (const std::string& name : names) {
    const auto& have = certificate.dns_names;
    if (std::find(have.begin(), have.end(), name) == have.end()) {
      return "the serving certificate is not for " + name;
    }
  }
  const Status verified =
      pki::Verify(material.serving->text, material.Bundle(), names.front(), now);
  return verified ? "" : "the serving certificate does not verify: " + verified.error().message;
}

// When a certificate made now would end: no later than its authority.
Clock::Wall EndOf(const Authority& authority, seconds lifetime, Clock::Wall now) {
  return std::min(now + lifetime, authority.certificate.validity.not_after);
}

// Whether the signer's next certificate would live clearly longer than the one in use: near its own
// end an authority signs ever shorter ones.
bool IsWorthIssuing(const Material& material, seconds lifetime, Clock::Wall now) {
  if (!IsUsable(material.signer, now)) return false;
  const auto left = material.serving->certificate.validity.not_after - now;
  return (EndOf(*material.signer, lifetime, now) - now) * 2 > left * 3;
}

// While a configuration that we may not change lacks the new authority, the old one is used as long
// as it lasts; then the others must not suffer.
bool IsPressed(const Material& material, seconds lifetime, Clock::Wall now) {
  const pki::Validity& validity = material.serving->certificate.validity;
  return validity.not_after - now < (validity.not_after - validity.not_before) / 6 &&
         !IsWorthIssuing(material, lifetime, now);
}

Plan WithoutServing(const Material& material, const std::string& fault, Clock::Wall now) {
  if (IsUsable(material.signer, now)) return {Step::kIssue, fault};
  if (IsUsable(material.next, now)) return {Step::kPromote, fault};
  return {Step::kStartOver, fault + ", and no certificate authority that could sign one"};
}

// Certificates are dated back a little, since clocks differ; less for the short lives of tests.
pki::Validity From(Clock::Wall now, seconds lifetime) {
  constexpr seconds kDatedBack{300};
  return {now - std::min(kDatedBack, lifetime / 10), now + lifetime};
}

Result<Authority> NewAuthority(const Lifetimes& lifetimes, Clock::Wall now) {
  auto pair = pki::MakeAuthority("tpu-admission", From(now, lifetimes.authority));
  if (!pair) return pair.error();
  auto certificate = pki::ReadCertificate(pair->certificate);
  if (!certificate) return certificate.error();
  return Authority{std::move(*certificate), std::move(pair->private_key)};
}

Status IssueServing(Material& material, const Names& names, const Lifetimes& lifetimes,
                    Clock::Wall now) {
  pki::Validity validity = From(now, lifetimes.certificate);
  validity.not_after = EndOf(*material.signer, lifetimes.certificate, now);
  auto pair = pki::Issue(material.signer->pair(), names, validity);
  if (!pair) return pair.error();
  auto certificate = pki::ReadCertificate(pair->certificate);
  if (!certificate) return certificate.error();
  material.serving = Serving{std::move(*certificate), pair->certificate, pair->private_key};
  const std::string fault = ServingFault(material, names, now);
  return fault.empty() ? OkStatus() : Error{"what was just made is of no use: " + fault};
}

void DropExpired(Material& material, Clock::Wall now) {
  std::erase_if(material.trusted,
                [&](const pki::Certificate& each) { return each.validity.not_after <= now; });
  if (!IsUsable(material.signer, now)) material.signer.reset();
  if (!IsUsable(material.next, now)) material.next.reset();
}

// Each loss of a key leaves an authority behind; the newest come first.
void DropOldest(Material& material) {
  constexpr std::size_t kMostTrusted = 8;
  for (std::size_t i = material.trusted.size();
       i-- > 0 && material.trusted.size() > kMostTrusted;) {
    const std::string& pem = material.trusted[i].pem;
    const bool in_use = (material.signer && material.signer->certificate.pem == pem) ||
                        (material.next && material.next->certificate.pem == pem);
    if (!in_use) material.trusted.erase(material.trusted.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::string WhatIsUntidy(const Material& material, Clock::Wall now) {
  if (!material.faults.empty()) return material.faults.front();
  const bool expired =
      std::any_of(material.trusted.begin(), material.trusted.end(),
                  [&](const pki::Certificate& each) { return each.validity.not_after <= now; });
  return expired ? "a certificate authority has expired" : "";
}

}  // namespace

Plan MakePlan(const Material& material, const Names& names, const Lifetimes& lifetimes,
              const Circumstances& circumstances) {
  const Clock::Wall now = circumstances.now;
  if (const std::string fault = ServingFault(material, names, now); !fault.empty()) {
    return WithoutServing(material, fault, now);
  }
  const bool has_next = IsUsable(material.next, now);
  if (has_next && circumstances.next_is_published) {
    return {Step::kPromote, "the new certificate authority is known everywhere"};
  }
  if (has_next && IsPressed(material, lifetimes.certificate, now)) {
    return {Step::kPromote,
            "the serving certificate is about to expire, although a configuration does not trust "
            "the new certificate authority yet"};
  }
  if (!has_next && !IsUsable(material.signer, now)) {
    return {Step::kPrepare, "no certificate authority can sign the next serving certificate"};
  }
  if (!has_next && IsDue(material.signer->certificate.validity, now)) {
    return {Step::kPrepare, "two thirds of the life of the certificate authority are over"};
  }
  if (IsDue(material.serving->certificate.validity, now) &&
      IsWorthIssuing(material, lifetimes.certificate, now)) {
    return {Step::kIssue, "two thirds of the life of the serving certificate are over"};
  }
  if (const std::string why = WhatIsUntidy(material, now); !why.empty()) return {Step::kTidy, why};
  return {};
}

Result<Material> ApplyStep(Step step, Material material, const Names& names,
                           const Lifetimes& lifetimes, Clock::Wall now) {
  DropExpired(material, now);
  if (step == Step::kStartOver || step == Step::kPrepare) {
    auto authority = NewAuthority(lifetimes, now);
    if (!authority) return authority.error();
    material.trusted.insert(material.trusted.begin(), authority->certificate);
    (step == Step::kStartOver ? material.signer : material.next) = std::move(*authority);
  }
  if (step == Step::kStartOver) material.next.reset();
  if (step == Step::kPromote) {
    material.signer = std::move(material.next);
    material.next.reset();
  }
  if (step == Step::kStartOver || step == Step::kIssue || step == Step::kPromote) {
    if (Status issued = IssueServing(material, names, lifetimes, now); !issued) {
      return issued.error();
    }
  }
  DropOldest(material);
  material.faults.clear();
  return material;
}

}  // namespace tpu_admission::controller
