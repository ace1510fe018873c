#include "kube/server_address.h"

#include <boost/asio/ip/address.hpp>

#include "tpu_admission/base/text.h"

namespace tpu_admission::kube {
namespace {

constexpr std::string_view kScheme = "https://";

bool IsIp(const std::string& host) {
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  return !error;
}

bool IsPort(std::string_view text) {
  const std::int64_t port = WholeNumber(text).value_or(0);
  return port > 0 && port <= 65535;
}

bool IsHostName(std::string_view host) {
  return !host.empty() && host.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789.-") == std::string_view::npos;
}

}  // namespace

std::string ServerAddress::Authority() const {
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == "443" ? shown : shown + ":" + port;
}

Result<ServerAddress> ParseServer(const std::string& url) {
  const Error wrong{"\"" + url +
                    "\" is no address of an API server: wanted is https://HOST or "
                    "https://HOST:PORT, without a path"};
  if (!url.starts_with(kScheme)) return wrong;
  std::string rest = url.substr(kScheme.size());
  if (rest.ends_with('/')) rest.pop_back();
  ServerAddress address{.host = rest, .port = "443"};
  const std::size_t colon = rest.rfind(':');
  const std::size_t bracket = rest.rfind(']');
  if (colon != rest.npos && (bracket == rest.npos || colon > bracket)) {
    address.host = rest.substr(0, colon);
    address.port = rest.substr(colon + 1);
  }
  const bool bracketed = address.host.starts_with('[') && address.host.ends_with(']');
  if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  address.is_ip = IsIp(address.host);
  const bool is_ipv6 = address.is_ip && address.host.find(':') != std::string::npos;
  if (bracketed != is_ipv6 || !IsPort(address.port)) return wrong;
  if (!address.is_ip && !IsHostName(address.host)) return wrong;
  return address;
}

ServerAddress NamedServer(const std::string& name) {
  return {.host = name, .port = {}, .is_ip = IsIp(name)};
}

std::string ServerUrl(const std::string& host, const std::string& port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return std::string(kScheme) + (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

}  // namespace tpu_admission::kube
