#include "controller/configuration.h"

#include <algorithm>
#include <vector>

#include "controller/json.h"
#include "tpu_admission/base/base64.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/controller/reconciler.h"
#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::controller {
namespace {

using State = ConfigurationState;

// Who else may own caBundle, and how they say so.
constexpr const char* kInjectors[] = {"cert-manager.io/inject-ca-from",
                                      "cert-manager.io/inject-ca-from-secret",
                                      "cert-manager.io/inject-apiserver-ca"};

struct Webhook {
  std::size_t index = 0;
  std::string bundle;  // decoded
};

std::vector<Webhook> OurWebhooks(const Json& object, const WantedBundle& wanted) {
  std::vector<Webhook> ours;
  const Json& webhooks = At(object, "/webhooks");
  if (!webhooks.is_array()) return ours;
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    const Json& each = webhooks[i];
    if (TextAt(each, "/clientConfig/service/name") != wanted.service_name ||
        TextAt(each, "/clientConfig/service/namespace") != wanted.service_namespace) {
      continue;
    }
    ours.push_back({i, DecodeBase64(TextAt(each, "/clientConfig/caBundle")).value_or("")});
  }
  return ours;
}

// Why it is not ours to change; "" if it is.
std::string Unmanaged(const Json& object) {
  const Json& annotations = At(object, "/metadata/annotations");
  if (!annotations.is_object()) return "";
  const auto managed = annotations.find(kManagedAnnotation);
  if (managed != annotations.end() && *managed == "false") {
    return std::string("its annotation ") + kManagedAnnotation + " is false";
  }
  for (const char* injector : kInjectors) {
    if (annotations.contains(injector)) {
      return std::string("its annotation ") + injector + " gives caBundle to cert-manager";
    }
  }
  return "";
}

bool Trusts(const Webhook& webhook, const std::string& pem) {
  const auto trusted = pki::ReadBundle(webhook.bundle);
  return std::any_of(trusted.begin(), trusted.end(),
                     [&](const pki::Certificate& each) { return each.pem == pem; });
}

// Setting metadata.resourceVersion makes the whole patch a 409 if the object has changed.
std::string BundlePatch(const Json& object, const std::vector<Webhook>& stale,
                        const std::string& bundle) {
  Json patch = Json::array();
  patch.push_back({{"op", "add"},
                   {"path", "/metadata/resourceVersion"},
                   {"value", TextAt(object, "/metadata/resourceVersion")}});
  for (const Webhook& webhook : stale) {
    patch.push_back(
        {{"op", "add"},
         {"path", "/webhooks/" + std::to_string(webhook.index) + "/clientConfig/caBundle"},
         {"value", EncodeBase64(bundle)}});
  }
  return Dumped(patch);
}

Published Absent(const std::string& why) { return {State::kAbsent, why, true, {}}; }

Published Failed(Operation operation, const std::string& why) {
  return {State::kFailed, why, false, operation};
}

std::string Describe(const std::vector<Webhook>& stale) {
  const bool empty = std::all_of(stale.begin(), stale.end(),
                                 [](const Webhook& each) { return each.bundle.empty(); });
  return "caBundle was " + std::string(empty ? "empty" : "another one") + " in " +
         Counted(stale.size(), "webhook");
}

// One reading and at most one patch; nullopt if somebody else wrote in between.
std::optional<Published> Attempt(kube::Api& api, const kube::ObjectPath& path,
                                 const WantedBundle& wanted,
                                 const std::function<bool()>& may_write) {
  const kube::Answer read = api.Get(path);
  if (read.outcome == kube::Outcome::kNotFound) return Absent("it does not exist");
  if (!read.ok()) return Failed(Operation::kReadConfiguration, read.error);
  const Json object = ParseJson(read.body);
  const std::vector<Webhook> ours = OurWebhooks(object, wanted);
  if (ours.empty()) {
    return Absent("none of its webhooks calls the Service " + wanted.service_namespace + "/" +
                  wanted.service_name);
  }
  if (const std::string why = Unmanaged(object); !why.empty()) {
    const bool carries = std::all_of(ours.begin(), ours.end(), [&](const Webhook& each) {
      return wanted.next.empty() || Trusts(each, wanted.next);
    });
    return Published{State::kUnmanaged, why, carries, {}};
  }
  std::vector<Webhook> stale = ours;
  std::erase_if(stale, [&](const Webhook& each) { return each.bundle == wanted.text; });
  if (stale.empty()) return Published{State::kCurrent, "", true, {}};
  if (!may_write()) return Failed(Operation::kWriteConfiguration, "no longer the leader");
  const kube::Answer written =
      api.Patch(path, kube::PatchKind::kJson, BundlePatch(object, stale, wanted.text));
  if (written.outcome == kube::Outcome::kConflict) return std::nullopt;
  if (!written.ok()) return Failed(Operation::kWriteConfiguration, written.error);
  return Published{State::kWritten, Describe(stale), true, {}};
}

}  // namespace

Published Publish(kube::Api& api, const kube::ObjectPath& path, const WantedBundle& wanted,
                  const std::function<bool()>& may_write) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto published = Attempt(api, path, wanted, may_write)) return *std::move(published);
  }
  return Failed(Operation::kWriteConfiguration,
                path.text + ": it is changed by somebody else again and again");
}

}  // namespace tpu_admission::controller
