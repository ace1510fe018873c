// What the chart leaves in a cluster: an empty Secret and two configurations without caBundle.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "controller/material.h"
#include "controller/secret.h"
#include "support/fake_clock.h"
#include "support/memory_api.h"
#include "tpu_admission/base/base64.h"
#include "tpu_admission/controller/reconciler.h"
#include "tpu_admission/pki/certificate.h"
#include "unit/controller/recorder.h"

namespace tpu_admission::controller {

using support::FakeClock;
using support::MemoryApi;

inline const kube::ObjectPath kSecret = kube::SecretPath("tpu", "tpu-admission-tls");
inline const kube::ObjectPath kMutatingPath = kube::MutatingConfigurationPath("tpu-admission");
inline const kube::ObjectPath kValidatingPath = kube::ValidatingConfigurationPath("tpu-admission");

inline MemoryApi::Json WebhookOf(const std::string& name, const std::string& service = "webhook") {
  return {
      {"name", name},
      {"failurePolicy", "Ignore"},
      {"clientConfig",
       {{"service", {{"name", service}, {"namespace", "tpu"}, {"path", "/x"}, {"port", 443}}}}}};
}

inline MemoryApi::Json ConfigurationOf(std::vector<MemoryApi::Json> webhooks) {
  return {{"metadata", {{"name", "tpu-admission"}}}, {"webhooks", std::move(webhooks)}};
}

inline ReconcilerOptions TestOptions() {
  ReconcilerOptions options;
  options.namespace_name = "tpu";
  options.service_name = "webhook";
  options.secret_name = "tpu-admission-tls";
  options.mutating_configuration = "tpu-admission";
  options.validating_configuration = "tpu-admission";
  return options;
}

struct Cluster {
  FakeClock clock;
  MemoryApi api{&clock};

  Cluster() {
    api.Put(kSecret, {{"metadata", {{"name", "tpu-admission-tls"}}}, {"type", "Opaque"}});
    api.Put(kMutatingPath, ConfigurationOf({WebhookOf("mutate.tpu-admission.io")}));
    api.Put(kValidatingPath, ConfigurationOf({WebhookOf("validate.tpu-admission.io"),
                                              WebhookOf("second.tpu-admission.io")}));
  }

  SecretData data() const { return ReadSecret(api.object(kSecret).dump()).data; }
  std::string value(const std::string& key) const {
    const SecretData all = data();
    const auto found = all.find(key);
    return found == all.end() ? "" : found->second;
  }
  void SetValue(const std::string& key, const std::string& value) {
    api.Change(kSecret, [&](auto& secret) { secret["data"][key] = EncodeBase64(value); });
  }

  // The caBundle of a webhook, decoded.
  std::string bundle(const kube::ObjectPath& path, std::size_t index = 0) const {
    const auto& config = api.object(path)["webhooks"].at(index)["clientConfig"];
    return config.contains("caBundle")
               ? DecodeBase64(config["caBundle"].get<std::string>()).value_or("?")
               : "";
  }
  void SetBundle(const kube::ObjectPath& path, const std::string& text) {
    api.Change(path, [&](auto& configuration) {
      for (auto& webhook : configuration["webhooks"]) {
        webhook["clientConfig"]["caBundle"] = EncodeBase64(text);
      }
    });
  }
  void Annotate(const kube::ObjectPath& path, const std::string& name, const std::string& value) {
    api.Change(path, [&](auto& each) { each["metadata"]["annotations"][name] = value; });
  }

  // Why a client that trusts `bundle` would refuse what is served; "" if it would not.
  std::string Refusal(const std::string& bundle) const {
    const Status status = pki::Verify(value("tls.crt"), bundle, "webhook.tpu.svc", clock.Now());
    return status ? "" : status.error().message;
  }
};

// One controller of a cluster that is the leader.
class ReconcilerTest : public ::testing::Test {
 protected:
  bool Sync() { return reconciler_.Sync(); }

  // Passes every `poll` until `time` is over.
  void Run(std::chrono::seconds time, std::chrono::seconds poll = std::chrono::seconds(10)) {
    for (std::chrono::seconds passed{0}; passed < time; passed += poll) {
      cluster_.clock.Advance(poll);
      Sync();
    }
  }

  void ExpectSound() const {
    EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kMutatingPath)), "");
    EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kValidatingPath)), "");
    EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kValidatingPath, 1)), "");
    EXPECT_TRUE(pki::BelongTogether(cluster_.value("tls.crt"), cluster_.value("tls.key")));
  }

  Cluster cluster_;
  Recorder seen_;
  bool leading_ = true;
  Reconciler reconciler_{cluster_.api, TestOptions(), cluster_.clock, [this] { return leading_; },
                         seen_};
};

}  // namespace tpu_admission::controller
