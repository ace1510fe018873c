#include "controller/secret.h"

#include "controller/json.h"
#include "tpu_admission/base/base64.h"

namespace tpu_admission::controller {

Secret ReadSecret(const std::string& body) {
  const Json object = ParseJson(body);
  Secret secret{TextAt(object, "/metadata/resourceVersion"), {}};
  const Json& data = At(object, "/data");
  if (!data.is_object()) return secret;
  for (const auto& [key, value] : data.items()) {
    if (value.is_string()) {
      secret.data[key] = DecodeBase64(value.get_ref<const std::string&>()).value_or("");
    }
  }
  return secret;
}

std::string SecretPatch(const Secret& secret, const SecretData& wanted) {
  Json data = Json::object();
  for (const auto& [key, value] : wanted) {
    const auto found = secret.data.find(key);
    if (value.empty()) {
      if (found != secret.data.end()) data[key] = nullptr;
    } else if (found == secret.data.end() || found->second != value) {
      data[key] = EncodeBase64(value);
    }
  }
  return Dumped(Json({{"metadata", {{"resourceVersion", secret.version}}}, {"data", data}}));
}

}  // namespace tpu_admission::controller
