#include "tpu_admission/controller/reconciler.h"

#include <optional>
#include <utility>

#include "controller/configuration.h"
#include "controller/material.h"
#include "controller/plan.h"
#include "controller/secret.h"

namespace tpu_admission::controller {
namespace {

std::string DoneWhat(Step step) {
  switch (step) {
    case Step::kStartOver:
      return "made a new certificate authority and serving certificate";
    case Step::kIssue:
      return "made a new serving certificate";
    case Step::kPrepare:
      return "prepared a new certificate authority";
    case Step::kPromote:
      return "made a serving certificate by the new certificate authority";
    case Step::kTidy:
      return "tidied the Secret";
    case Step::kNothing:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::string> ReconcilerOptions::DnsNames() const {
  const std::string in_namespace = service_name + "." + namespace_name;
  return {in_namespace + ".svc", service_name, in_namespace,
          in_namespace + ".svc." + cluster_domain};
}

class Reconciler::Impl {
 public:
  Impl(kube::Api& api, ReconcilerOptions options, const Clock& clock,
       std::function<bool()> may_write, Observer& observer)
      : api_(api),
        options_(std::move(options)),
        secret_path_(kube::SecretPath(options_.namespace_name, options_.secret_name)),
        names_(options_.DnsNames()),
        lifetimes_{options_.certificate_lifetime, options_.authority_lifetime},
        clock_(clock),
        may_write_(std::move(may_write)),
        observer_(observer) {}

  bool Sync() {
    const std::optional<Material> material = KeepSecret();
    const bool synced = material && PublishAll(*material);
    if (synced) {
      observer_.OnSynced();
    } else {
      Forget();  // nothing is sure any more about what is published
    }
    return synced;
  }

  void Forget() { published_next_.clear(); }

 private:
  // Brings the Secret one step on; what it holds then, or nothing after an error.
  std::optional<Material> KeepSecret() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const kube::Answer answer = api_.Get(secret_path_);
      if (!answer.ok()) return Failed(Operation::kReadSecret, answer.error);
      // Certificates are judged by the API server, so its clock counts, not ours.
      const Clock::Wall now = answer.server_time.value_or(clock_.Now());
      Remember(answer.body);
      const Plan plan = PlanFor(material_, now);
      if (plan.step == Step::kNothing) return Known(material_);
      auto next = ApplyStep(plan.step, material_, names_, lifetimes_, now);
      if (!next) return Failed(Operation::kMakeCertificate, next.error().message);
      if (!may_write_()) return std::nullopt;
      const kube::Answer written = api_.Patch(secret_path_, kube::PatchKind::kMerge,
                                              SecretPatch(secret_, WriteMaterial(*next)));
      if (written.outcome == kube::Outcome::kConflict) continue;
      if (!written.ok()) return Failed(Operation::kWriteSecret, written.error);
      Tell(plan);
      return Known(std::move(*next));
    }
    return Failed(Operation::kWriteSecret,
                  secret_path_.text + ": it is changed by somebody else again and again");
  }

  // Reading keys is slow, and they rarely change.
  void Remember(const std::string& body) {
    if (body == body_) return;
    secret_ = ReadSecret(body);
    material_ = ReadMaterial(secret_.data);
    body_ = body;
  }

  // A new authority signs only if all configurations have it at this very moment, too.
  Plan PlanFor(const Material& material, Clock::Wall now) {
    Plan plan = MakePlan(material, names_, lifetimes_, {now, NextIsPublished(material)});
    if (plan.step != Step::kPromote || !material.serving) return plan;
    if (!PublishAll(material)) Forget();
    return MakePlan(material, names_, lifetimes_, {now, NextIsPublished(material)});
  }

  // False after an error.
  bool PublishAll(const Material& material) {
    const WantedBundle wanted{options_.namespace_name, options_.service_name, material.Bundle(),
                              material.next ? material.next->certificate.pem : ""};
    bool ok = true;
    bool carried = true;    // all have the next authority
    bool unchanged = true;  // and had it before this pass
    const auto publish = [&](ConfigurationKind kind, const kube::ObjectPath& path) {
      const Published published = Publish(api_, path, wanted, may_write_);
      observer_.OnConfiguration(kind, published.state, published.why);
      carried = carried && published.carries_next;
      unchanged = unchanged && published.state != ConfigurationState::kWritten;
      if (published.state != ConfigurationState::kFailed) return;
      ok = false;
      observer_.OnError(published.failed_operation, published.why);
    };
    if (!options_.mutating_configuration.empty()) {
      publish(ConfigurationKind::kMutating,
              kube::MutatingConfigurationPath(options_.mutating_configuration));
    }
    if (!options_.validating_configuration.empty()) {
      publish(ConfigurationKind::kValidating,
              kube::ValidatingConfigurationPath(options_.validating_configuration));
    }
    if (!unchanged) Forget();
    RememberPublished(carried ? wanted.next : "");
    return ok;
  }

  void RememberPublished(const std::string& next) {
    if (next == published_next_) return;
    published_next_ = next;
    published_since_ = clock_.Elapsed();
  }

  bool NextIsPublished(const Material& material) const {
    return material.next && material.next->certificate.pem == published_next_ &&
           clock_.Elapsed() - published_since_ >= options_.propagation_delay;
  }

  Material Known(Material material) {
    using End = std::optional<Clock::Wall>;
    observer_.OnExpiry(
        CertificateKind::kServing,
        material.serving ? End(material.serving->certificate.validity.not_after) : std::nullopt);
    observer_.OnExpiry(
        CertificateKind::kAuthority,
        material.signer ? End(material.signer->certificate.validity.not_after) : std::nullopt);
    return material;
  }

  void Tell(const Plan& plan) {
    const std::string what = DoneWhat(plan.step) + ": " + plan.why;
    const bool issued =
        plan.step == Step::kStartOver || plan.step == Step::kIssue || plan.step == Step::kPromote;
    if (plan.step == Step::kStartOver || plan.step == Step::kPrepare) {
      observer_.OnIssued(CertificateKind::kAuthority, what);
    }
    if (issued) observer_.OnIssued(CertificateKind::kServing, what);
    if (plan.step == Step::kTidy) observer_.OnNote(what);
  }

  std::nullopt_t Failed(Operation operation, const std::string& what) {
    observer_.OnError(operation, what);
    return std::nullopt;
  }

  kube::Api& api_;
  const ReconcilerOptions options_;
  const kube::ObjectPath secret_path_;
  const std::vector<std::string> names_;
  const Lifetimes lifetimes_;
  const Clock& clock_;
  const std::function<bool()> may_write_;
  Observer& observer_;

  std::string body_;  // what the Secret was read from
  Secret secret_;
  Material material_;

  // The prepared authority that all configurations carry, and since when. Only in memory: another
  // leader waits anew, which is late but never wrong.
  std::string published_next_;
  Clock::Mono published_since_;
};

Reconciler::Reconciler(kube::Api& api, ReconcilerOptions options, const Clock& clock,
                       std::function<bool()> may_write, Observer& observer)
    : impl_(
          std::make_unique<Impl>(api, std::move(options), clock, std::move(may_write), observer)) {}
Reconciler::~Reconciler() = default;

bool Reconciler::Sync() { return impl_->Sync(); }
void Reconciler::Forget() { impl_->Forget(); }

}  // namespace tpu_admission::controller
