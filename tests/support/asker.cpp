#include "support/asker.h"

namespace tpu_admission {
namespace {

using nlohmann::json;

// RFC 4648, strict about length and padding: an independent second reading of what was encoded.
std::string FromBase64(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) throw std::invalid_argument("base64 length");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    unsigned bits = 0;
    std::size_t padding = 0;
    for (const char c : text.substr(i, 4)) {
      const std::size_t digit = kAlphabet.find(c);
      if (c == '=' && i + 4 == text.size()) {
        ++padding;
      } else if (digit == kAlphabet.npos || padding > 0) {
        throw std::invalid_argument("base64 digit");
      }
      bits = bits << 6 | (c == '=' ? 0U : unsigned(digit));
    }
    for (std::size_t byte = 0; byte < 3 - padding; ++byte) {
      bytes += char(bits >> (16 - 8 * byte) & 0xFF);
    }
  }
  return bytes;
}

std::shared_ptr<const admission::Settings> SettingsOf(const AskerOptions& options) {
  return std::make_shared<admission::Settings>(admission::Settings{
      rules::Engine(BuiltInCatalog(), options.cluster),
      admission::Policy::Load(options.policy, "policy.yaml", options.profile).value(),
      options.docs_url});
}

}  // namespace

std::vector<std::string> Answer::warnings() const {
  return response().value("warnings", std::vector<std::string>());
}

json Answer::patch() const {
  const json answer = response();
  return answer.contains("patch") ? json::parse(FromBase64(answer.at("patch").get<std::string>()))
                                  : json();
}

Asker::Asker(const AskerOptions& options)
    : settings_(SettingsOf(options)), handler_(settings_), today_(options.today) {}

Answer Asker::Ask(admission::Endpoint endpoint, std::string_view body) {
  body_ = body;
  Answer answer;
  answer.record = handler_.Handle(endpoint, body_, today_, answer.text);
  return answer;
}

std::shared_ptr<const tpu::Catalog> BuiltInCatalog() {
  static const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  return catalog;
}

}  // namespace tpu_admission
