// The wire contract of AdmissionReview: what is read, what is refused, what is answered.
#include "tpu_admission/k8s/review.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/case_name.h"
#include "tpu_admission/base/json_string.h"

namespace tpu_admission::k8s::review_test {
namespace {

using nlohmann::json;

json PodReview() {
  return json::parse(R"({
    "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
    "request": {
      "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
      "kind": {"group": "", "version": "v1", "kind": "Pod"},
      "resource": {"group": "", "version": "v1", "resource": "pods"},
      "requestKind": {"group": "", "version": "v1", "kind": "Pod"},
      "name": "p", "namespace": "ns", "operation": "CREATE", "dryRun": true,
      "userInfo": {"username": "u"}, "object": {"metadata": {"name": "p"}}, "oldObject": null,
      "options": {"kind": "CreateOptions"}}})");
}

class DecodeReviewTest : public testing::Test {
 protected:
  Result<AdmissionRequest> Decode(const json& review) {
    text_ = review.dump();
    return DecodeReview(parser_.Parse(text_).value());
  }

  std::string text_;
  JsonParser parser_;
};

TEST_F(DecodeReviewTest, ReadsWhatTheApiServerSends) {
  const Result<AdmissionRequest> request = Decode(PodReview());
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->api_version, "admission.k8s.io/v1");
  EXPECT_EQ(request->uid, "705ab4f5-6393-11e8-b7cc-42010a800002");
  EXPECT_EQ(request->kind.group, "");
  EXPECT_EQ(request->kind.version, "v1");
  EXPECT_EQ(request->kind.kind, "Pod");
  EXPECT_EQ(request->resource, "pods");
  EXPECT_EQ(request->sub_resource, "");
  EXPECT_EQ(request->name, "p");
  EXPECT_EQ(request->namespace_name, "ns");
  EXPECT_EQ(request->operation, Operation::kCreate);
  EXPECT_TRUE(request->dry_run);
  EXPECT_TRUE(request->object.present());
  EXPECT_FALSE(request->old_object.present()) << "null is absent";
}

// The operations as measured on a real API server: what is null, what is missing.
struct Measured {
  std::string name;
  json change;  // RFC 7386 merge patch of the request
  Operation operation;
  bool object;
  bool old_object;
};

class MeasuredOperations : public DecodeReviewTest, public testing::WithParamInterface<Measured> {};

TEST_P(MeasuredOperations, Case25AreRead) {
  json review = PodReview();
  review["request"].merge_patch(GetParam().change);
  if (!GetParam().object) review["request"]["object"] = nullptr;
  const Result<AdmissionRequest> request = Decode(review);
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->operation, GetParam().operation);
  EXPECT_EQ(request->object.present(), GetParam().object);
  EXPECT_EQ(request->old_object.present(), GetParam().old_object);
}

const json kPod = json::parse(R"({"metadata":{"name":"p"}})");

INSTANTIATE_TEST_SUITE_P(
    Contract, MeasuredOperations,
    testing::Values(
        Measured{"CreateWithGenerateName", {{"name", nullptr}}, Operation::kCreate, true, false},
        Measured{"Update",
                 {{"operation", "UPDATE"}, {"oldObject", kPod}},
                 Operation::kUpdate,
                 true,
                 true},
        Measured{
            "UpdateWithNullOldObject", {{"operation", "UPDATE"}}, Operation::kUpdate, true, false},
        Measured{"Delete",
                 {{"operation", "DELETE"}, {"oldObject", kPod}},
                 Operation::kDelete,
                 false,
                 true},
        Measured{"DeleteCollection",
                 {{"operation", "DELETE"}, {"oldObject", kPod}, {"name", nullptr}},
                 Operation::kDelete,
                 false,
                 true},
        Measured{"DeleteOfOldServers", {{"operation", "DELETE"}}, Operation::kDelete, false, false},
        Measured{"ConnectWithNulls",
                 {{"operation", "CONNECT"}, {"subResource", "exec"}},
                 Operation::kConnect,
                 false,
                 false},
        Measured{"Evict",
                 {{"subResource", "eviction"}, {"kind", {{"group", "policy"}}}},
                 Operation::kCreate,
                 true,
                 false},
        Measured{"UnknownOperation", {{"operation", "MEND"}}, Operation::kOther, false, false}),
    CaseName());

struct Refused {
  std::string name;
  std::string patch;  // RFC 6902, of PodReview()
  std::string error;
};

class RefusedReviews : public DecodeReviewTest, public testing::WithParamInterface<Refused> {};

TEST_P(RefusedReviews, SayWhyInOneLine) {
  const Result<AdmissionRequest> request = Decode(PodReview().patch(json::parse(GetParam().patch)));
  ASSERT_FALSE(request.ok());
  EXPECT_EQ(request.error().message, GetParam().error);
  EXPECT_EQ(request.error().message.find('\n'), std::string::npos);
}

std::string Replace(const std::string& path, const std::string& value) {
  return R"([{"op":"add","path":")" + path + R"(","value":)" + value + "}]";
}
std::string Remove(const std::string& path) {
  return R"([{"op":"remove","path":")" + path + R"("}])";
}

constexpr const char* kNoObject = "the body is not an AdmissionReview: it is not a JSON object";
constexpr const char* kNoRequest = "request is missing from the AdmissionReview";
constexpr const char* kNoUid = "request.uid is missing or empty";
constexpr const char* kNoKind = "request.kind is missing";

INSTANTIATE_TEST_SUITE_P(
    Case18, RefusedReviews,
    testing::Values(Refused{"Null", Replace("", "null"), kNoObject},
                    Refused{"List", Replace("", "[]"), kNoObject},
                    Refused{"Number", Replace("", "7"), kNoObject},
                    Refused{"EmptyObject", Replace("", "{}"),
                            "the body is not an AdmissionReview: kind is \"\", wanted "
                            "\"AdmissionReview\""}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case23, RefusedReviews,
    testing::Values(Refused{"NoUid", Remove("/request/uid"), kNoUid},
                    Refused{"EmptyUid", Replace("/request/uid", R"("")"), kNoUid},
                    Refused{"NullUid", Replace("/request/uid", "null"), kNoUid},
                    Refused{"NumberUid", Replace("/request/uid", "7"), kNoUid},
                    Refused{"LongUid", Replace("/request/uid", json(std::string(257, 'u')).dump()),
                            "request.uid is longer than 256 bytes"},
                    Refused{"MegabyteUid",
                            Replace("/request/uid", json(std::string(1 << 20, 'u')).dump()),
                            "request.uid is longer than 256 bytes"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case24, RefusedReviews,
    testing::Values(
        Refused{"V2", Replace("/apiVersion", R"("admission.k8s.io/v2")"),
                "apiVersion \"admission.k8s.io/v2\" is not supported: send admission.k8s.io/v1 or "
                "v1beta1"},
        Refused{"NoVersion", Remove("/apiVersion"),
                "apiVersion \"\" is not supported: send admission.k8s.io/v1 or v1beta1"},
        Refused{"OtherGroup", Replace("/apiVersion", R"("authorization.k8s.io/v1")"),
                "apiVersion \"authorization.k8s.io/v1\" is not supported: send admission.k8s.io/v1 "
                "or v1beta1"},
        Refused{"OtherKind", Replace("/kind", R"("SubjectAccessReview")"),
                "the body is not an AdmissionReview: kind is \"SubjectAccessReview\", wanted "
                "\"AdmissionReview\""},
        Refused{"NoKind", Remove("/kind"),
                "the body is not an AdmissionReview: kind is \"\", wanted \"AdmissionReview\""},
        Refused{"KindIsUserText", Replace("/kind", R"("a\nb\u001b[31m\"")"),
                "the body is not an AdmissionReview: kind is \"a\xEF\xBF\xBD"
                "b\xEF\xBF\xBD[31m\\\"\", wanted \"AdmissionReview\""}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case25, RefusedReviews,
    testing::Values(Refused{"P6NullRequest", Replace("/request", "null"), kNoRequest},
                    Refused{"NoRequest", Remove("/request"), kNoRequest},
                    Refused{"ListRequest", Replace("/request", "[]"), kNoRequest},
                    Refused{"NoRequestKind", Remove("/request/kind"), kNoKind},
                    Refused{"KindOfWrongType", Replace("/request/kind", R"("Pod")"), kNoKind},
                    Refused{"NullObjectOnCreate", Replace("/request/object", "null"),
                            "request.object is missing on CREATE"},
                    Refused{"NoObjectOnCreate", Remove("/request/object"),
                            "request.object is missing on CREATE"},
                    Refused{"NoObjectOnUpdate",
                            R"([{"op":"remove","path":"/request/object"},
                    {"op":"replace","path":"/request/operation","value":"UPDATE"}])",
                            "request.object is missing on UPDATE"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(Case27, RefusedReviews,
                         testing::Values(Refused{"ListObject", Replace("/request/object", "[]"),
                                                 "request.object is not a JSON object"},
                                         Refused{"TextObject", Replace("/request/object", R"("x")"),
                                                 "request.object is not a JSON object"},
                                         Refused{"NumberOldObject",
                                                 Replace("/request/oldObject", "7"),
                                                 "request.oldObject is not a JSON object"}),
                         CaseName());

// New Kubernetes versions add fields, and direct callers write nonsense into those we do not need.
TEST_F(DecodeReviewTest, Case67IgnoresWhatItDoesNotKnow) {
  json review = PodReview();
  review["response"] = {{"uid", "other"}};
  review["request"]["newField"] = {{"deep", {1, 2, 3}}};
  review["request"]["userInfo"] = "not a map";
  review["request"]["name"] = 7;
  review["request"]["dryRun"] = "yes";
  const Result<AdmissionRequest> request = Decode(review);
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->name, "");
  EXPECT_FALSE(request->dry_run);
}

class EncodeReviewTest : public testing::Test {
 protected:
  json Encode(const AdmissionResponse& response) {
    std::string out = "head|";
    EncodeReview(request_, response, out);
    EXPECT_TRUE(out.starts_with("head|")) << "it appends";
    return json::parse(out.substr(5));
  }

  EncodeReviewTest() {
    request_.api_version = "admission.k8s.io/v1";
    request_.uid = "u-1";
  }

  AdmissionRequest request_;
  AdmissionResponse response_;
};

TEST_F(EncodeReviewTest, P1EchoesVersionAndUid) {
  EXPECT_EQ(Encode({}), json::parse(R"({"apiVersion":"admission.k8s.io/v1",
    "kind":"AdmissionReview","response":{"uid":"u-1","allowed":true}})"));
  request_.api_version = "admission.k8s.io/v1beta1";
  EXPECT_EQ(Encode({})["apiVersion"], "admission.k8s.io/v1beta1");
}

TEST_F(EncodeReviewTest, Case23EchoesAnyUidAsValidJson) {
  const std::string uid = "a\"b\\c\n\x01\x7F\xC3\xA9";
  request_.uid = uid;
  EXPECT_EQ(Encode({})["response"]["uid"], uid);
}

TEST_F(EncodeReviewTest, P12DeniesAs403WithAllTextInMessage) {
  response_.allowed = false;
  response_.message = "first\n\n\"second\"";
  const json answer = Encode(response_);
  EXPECT_EQ(answer["response"]["allowed"], false);
  EXPECT_EQ(answer["response"]["status"], json::parse(R"({"status":"Failure","code":403,
    "reason":"Forbidden","message":"first\n\n\"second\""})"));
}

TEST_F(EncodeReviewTest, P3PatchAndPatchTypeComeTogetherOrNotAtAll) {
  const json none = Encode({})["response"];
  EXPECT_FALSE(none.contains("patch"));
  EXPECT_FALSE(none.contains("patchType"));
  for (const auto& [patch, base64] :
       {std::pair{"[]", "W10="}, std::pair{"[{\"op\":\"add\"}]", "W3sib3AiOiJhZGQifV0="},
        std::pair{"abc", "YWJj"}}) {
    response_.patch = patch;
    const json answer = Encode(response_)["response"];
    EXPECT_EQ(answer["patchType"], "JSONPatch");
    EXPECT_EQ(answer["patch"], base64);
  }
}

TEST_F(EncodeReviewTest, WritesWarningsAndAuditAnnotations) {
  response_.warnings = {"one", "two \"2\""};
  response_.audit = {{"k", "v"}};
  const json answer = Encode(response_)["response"];
  EXPECT_EQ(answer["warnings"], json::parse(R"(["one","two \"2\""])"));
  EXPECT_EQ(answer["auditAnnotations"], json::parse(R"({"k":"v"})"));
  EXPECT_FALSE(answer.contains("patch"));
}

TEST(AppendJsonStringTest, EveryByteBelow0x80ComesBack) {
  std::string text;
  for (char c = 0; c < 0x7F; ++c) text += c;
  text += '\x7F';
  std::string out;
  AppendJsonString(out, text);
  EXPECT_EQ(json::parse(out), text);
  for (const char c : out) EXPECT_TRUE(c >= 0x20 && c != 0x7F);
}

TEST(OperationNames, AreThoseOfTheApi) {
  EXPECT_EQ(Name(Operation::kCreate), "CREATE");
  EXPECT_EQ(Name(Operation::kUpdate), "UPDATE");
  EXPECT_EQ(Name(Operation::kDelete), "DELETE");
  EXPECT_EQ(Name(Operation::kConnect), "CONNECT");
  EXPECT_EQ(Name(Operation::kOther), "OTHER");
}

}  // namespace
}  // namespace tpu_admission::k8s::review_test
