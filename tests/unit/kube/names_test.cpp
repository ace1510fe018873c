// Names, addresses and waiting times: the small pure parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/server_address.h"
#include "tpu_admission/kube/api.h"
#include "tpu_admission/kube/backoff.h"
#include "tpu_admission/kube/watch_api.h"

namespace tpu_admission::kube::names_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ObjectPath, NamesOneObject) {
  EXPECT_EQ(SecretPath("ns", "s").text, "/api/v1/namespaces/ns/secrets/s");
  EXPECT_EQ(ConfigMapPath("ns", "c").text, "/api/v1/namespaces/ns/configmaps/c");
  EXPECT_EQ(LeasePath("ns", "l").text, "/apis/coordination.k8s.io/v1/namespaces/ns/leases/l");
  EXPECT_EQ(MutatingConfigurationPath("m").text,
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/m");
  EXPECT_EQ(ValidatingConfigurationPath("v").text,
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v");
}

TEST(Targets, OfListsAndWatchesAreEscaped) {
  EXPECT_EQ(TargetOf(ListQuery{.collection = "/api/v1/nodes", .label_selector = "a/b,c in (d)"}),
            "/api/v1/nodes?labelSelector=a%2Fb%2Cc%20in%20%28d%29&limit=500");
  EXPECT_EQ(TargetOf(ListQuery{
                .collection = "/p", .label_selector = "", .limit = 2, .continue_token = "x=&y"}),
            "/p?limit=2&continue=x%3D%26y");
  EXPECT_EQ(TargetOf(WatchQuery{.collection = "/api/v1/nodes",
                                .label_selector = "a",
                                .resource_version = "7",
                                .length = seconds(60)}),
            "/api/v1/nodes?labelSelector=a&watch=true&allowWatchBookmarks=true&resourceVersion=7"
            "&timeoutSeconds=60");
}

TEST(IsObjectName, TakesDnsSubdomainsOnly) {
  for (const char* name : {"a", "tpu-admission", "a.b-c.d0", "0"}) {
    EXPECT_TRUE(IsObjectName(name)) << name;
  }
  for (const char* name : {"", "A", "a/b", "a?b", "..", "a..b", "-a", "a-", "a.-b", ".a", "a b",
                           "a%2f", "a_b", "a\n"}) {
    EXPECT_FALSE(IsObjectName(name)) << name;
  }
  EXPECT_TRUE(IsObjectName(std::string(253, 'a')));
  EXPECT_FALSE(IsObjectName(std::string(254, 'a')));
}

struct AddressCase {
  const char* url;
  const char* host;
  const char* port;
  bool is_ip;
  const char* authority;
};

class ServerAddresses : public ::testing::TestWithParam<AddressCase> {};

TEST_P(ServerAddresses, AreRead) {
  const auto address = ParseServer(GetParam().url);
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(address->host, GetParam().host);
  EXPECT_EQ(address->port, GetParam().port);
  EXPECT_EQ(address->is_ip, GetParam().is_ip);
  EXPECT_EQ(address->Authority(), GetParam().authority);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ServerAddresses,
    ::testing::Values(
        AddressCase{"https://10.0.0.1", "10.0.0.1", "443", true, "10.0.0.1"},
        AddressCase{"https://10.0.0.1:6443/", "10.0.0.1", "6443", true, "10.0.0.1:6443"},
        AddressCase{"https://[fd00::1]:6443", "fd00::1", "6443", true, "[fd00::1]:6443"},
        AddressCase{"https://[::1]", "::1", "443", true, "[::1]"},
        AddressCase{"https://kubernetes.default.svc", "kubernetes.default.svc", "443", false,
                    "kubernetes.default.svc"}));

TEST(ServerAddress, RefusesWhatIsNone) {
  for (const char* url : {"", "http://10.0.0.1", "https://", "https://a:0", "https://a:70000",
                          "https://a:", "https://a/path", "https://a@b", "https://[10.0.0.1]",
                          "https://fd00::1", "https://a b", "https://[::1]x", "10.0.0.1:443"}) {
    const auto address = ParseServer(url);
    ASSERT_FALSE(address) << url;
    EXPECT_THAT(address.error().message, ::testing::HasSubstr("https://HOST")) << url;
  }
}

TEST(ServerUrl, PutsAnIpv6AddressInBrackets) {
  EXPECT_EQ(ServerUrl("10.0.0.1", "443"), "https://10.0.0.1:443");
  EXPECT_EQ(ServerUrl("fd00::1", "443"), "https://[fd00::1]:443");
}

TEST(Backoff, DoublesUpToFiveSecondsAndIsJitteredByHalf) {
  constexpr milliseconds kFirst{200};
  EXPECT_EQ(Backoff(kFirst, 1, 0), milliseconds(100));
  EXPECT_EQ(Backoff(kFirst, 1, 0.9999), milliseconds(199));
  EXPECT_EQ(Backoff(kFirst, 3, 0), milliseconds(400));
  EXPECT_EQ(Backoff(kFirst, 60, 0), milliseconds(2'500));
  EXPECT_LE(Backoff(kFirst, 60, 0.9999), seconds(5));
}

TEST(RetryAfter, IsANumberOfSeconds) {
  EXPECT_EQ(RetryAfter("1"), seconds(1));
  EXPECT_EQ(RetryAfter("999999"), seconds(3600));
  EXPECT_EQ(RetryAfter("4294967296"), seconds(3600));
  for (const char* field : {"", "-1", "1.5", "x", "Sat, 21 Nov 2026 12:00:00 GMT"}) {
    EXPECT_FALSE(RetryAfter(field)) << field;
  }
}

}  // namespace
}  // namespace tpu_admission::kube::names_test
