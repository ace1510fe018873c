// A load client that measures the server: POSTs one body over N TLS 1.3 connections, kept or new
// for each request, and prints round trips (of a request; not of a handshake), and the CPU time
// that the server process spent for each request. The answers' status and length are checked, and a
// text that each must hold, if one is given; a connection that the server closes is opened again.
// With a rate, requests fall due evenly, the connections take them in turn, and a round trip begins
// when the request was due: what waits for a slow answer counts.
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using TlsStream = asio::ssl::stream<tcp::socket>;

struct Options {
  std::string host = "127.0.0.1";
  unsigned short port = 0;
  std::string path = "/validate";
  std::string body_file;
  int connections = 16;
  long requests = 100'000;
  long warm_up = 5'000;
  bool new_connections = false;  // for each request
  double rate = 0;               // a second; 0: the next request follows its answer
  std::string expected;          // part of each answer
  int pid = 0;
};

// What a process has used, exited threads with it, in microseconds; 0 for none.
double CpuMicroseconds(int pid) {
  clockid_t clock{};
  timespec used{};
  if (pid == 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
}

class Load {
 public:
  Load(const Options& options, const std::string& body)
      : options_(options),
        message_("POST " + options.path + " HTTP/1.1\r\nHost: " + options.host +
                 "\r\nUser-Agent: kube-apiserver-admission\r\nContent-Length: " +
                 std::to_string(body.size()) +
                 "\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\n"
                 "Accept-Encoding: gzip\r\n\r\n" +
                 body) {
    tls_.set_verify_mode(asio::ssl::verify_none);
    SSL_CTX_set_min_proto_version(tls_.native_handle(), TLS1_3_VERSION);
    latencies_.reserve(static_cast<std::size_t>(options.requests));
  }

  // Sends `requests` requests over all connections together; false if nothing got through.
  bool Run(long requests) {
    left_ = requests;
    due_ = 0;
    failures_ = 0;
    latencies_.clear();
    for (int i = 0; i < options_.connections; ++i) {
      asio::co_spawn(context_, Connection(), asio::detached);
    }
    start_ = Clock::now();
    cpu_before_ = CpuMicroseconds(options_.pid);
    // With a rate, time for the handshakes first; the CPU that they take does not count.
    if (options_.rate > 0) start_ += std::chrono::milliseconds(500);
    context_.restart();
    context_.run();
    cpu_ = CpuMicroseconds(options_.pid) - cpu_before_;
    seconds_ = std::chrono::duration<double>(Clock::now() - start_).count();
    std::sort(latencies_.begin(), latencies_.end());
    return !latencies_.empty();
  }

  long failures() const { return failures_; }
  std::size_t answered() const { return latencies_.size(); }
  double seconds() const { return seconds_; }
  double server_cpu() const { return cpu_; }  // microseconds
  double Percentile(double share) const {
    const auto last = static_cast<double>(latencies_.size() - 1);
    return latencies_[static_cast<std::size_t>(share * last)];
  }

 private:
  asio::awaitable<void> Connection() {
    while (left_ > 0) {
      error_code error;
      TlsStream stream(context_, tls_);
      const tcp::endpoint peer(asio::ip::make_address(options_.host), options_.port);
      auto token = asio::redirect_error(asio::use_awaitable, error);
      co_await stream.next_layer().async_connect(peer, token);
      if (!error) stream.next_layer().set_option(tcp::no_delay(true));
      if (!error) co_await stream.async_handshake(asio::ssl::stream_base::client, token);
      if (error) {
        --left_;
        ++failures_;
        continue;
      }
      while (left_ > 0 && co_await Exchange(stream) && !options_.new_connections) continue;
    }
  }

  // One request and its answer; false when the connection is at its end.
  asio::awaitable<bool> Exchange(TlsStream& stream) {
    --left_;
    const auto start = options_.rate > 0 ? co_await NextDue() : Clock::now();
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await asio::async_write(stream, asio::buffer(message_), token);
    std::string answer;
    while (!error && !IsWhole(answer)) {
      char block[16384];
      const std::size_t bytes = co_await stream.async_read_some(asio::buffer(block), token);
      answer.append(block, bytes);
    }
    if (error || !answer.starts_with("HTTP/1.1 200 ") ||
        answer.find(options_.expected) == std::string::npos) {
      if (failures_ == 0) std::fprintf(stderr, "a wrong answer: %.600s\n", answer.c_str());
      ++failures_;
      co_return false;
    }
    latencies_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    co_return answer.find("Connection: close") == std::string::npos;
  }

  // Waits until the next request is due, and says when that was.
  asio::awaitable<Clock::time_point> NextDue() {
    const std::chrono::duration<double> after(static_cast<double>(due_) / options_.rate);
    const bool first = due_++ == 0;
    const auto due = start_ + std::chrono::duration_cast<Clock::duration>(after);
    asio::steady_timer timer(context_, due);
    co_await timer.async_wait(asio::use_awaitable);
    if (first) cpu_before_ = CpuMicroseconds(options_.pid);
    co_return due;
  }

  // By its length, or in chunks.
  static bool IsWhole(std::string_view answer) {
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t head = answer.find("\r\n\r\n");
    if (head == std::string_view::npos) return false;
    const std::size_t field = answer.substr(0, head).find(kLength);
    if (field == std::string_view::npos) return answer.ends_with("\r\n0\r\n\r\n");
    std::size_t length = 0;
    const char* const digits = answer.data() + field + kLength.size();
    std::from_chars(digits, answer.data() + head, length);
    return answer.size() >= head + 4 + length;
  }

  const Options& options_;
  const std::string message_;
  asio::io_context context_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  long left_ = 0;
  long due_ = 0;  // requests that have been given their time
  Clock::time_point start_;
  double cpu_before_ = 0;
  double cpu_ = 0;
  long failures_ = 0;
  std::vector<double> latencies_;  // microseconds
  double seconds_ = 0;
};

int Measure(const Options& options, const std::string& body) {
  Load load(options, body);
  if (!load.Run(options.warm_up)) {
    std::fprintf(stderr, "no answer from %s:%u%s\n", options.host.c_str(), unsigned{options.port},
                 options.path.c_str());
    return 2;
  }
  load.Run(options.requests);
  const auto answered = static_cast<double>(load.answered());
  std::printf("requests %zu\nfailures %ld\nper_second %.0f\np50_us %.1f\np99_us %.1f\n",
              load.answered(), load.failures(), answered / load.seconds(), load.Percentile(0.5),
              load.Percentile(0.99));
  if (options.pid != 0)
    std::printf("server_cpu_us_per_request %.2f\n", load.server_cpu() / answered);
  return load.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("POSTs a body over keep-alive TLS 1.3 connections and measures the server");
  app.add_option("--host", options.host, "IP address");
  app.add_option("--port", options.port)->required();
  app.add_option("--path", options.path);
  app.add_option("--body", options.body_file, "file with the request body")->required();
  app.add_option("--connections", options.connections);
  app.add_option("--requests", options.requests);
  app.add_option("--warm-up", options.warm_up, "requests before the measurement");
  CLI::Option* const fresh =
      app.add_flag("--new-connections", options.new_connections, "one for each request");
  app.add_option("--rate", options.rate, "requests a second over all connections; 0: full speed")
      ->excludes(fresh);
  app.add_option("--expect", options.expected, "part of each answer");
  app.add_option("--pid", options.pid, "the server's process, for its CPU time");
  CLI11_PARSE(app, argc, argv);
  std::ifstream file(options.body_file, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", options.body_file.c_str());
    return 2;
  }
  return Measure(options, std::string((std::istreambuf_iterator<char>(file)), {}));
}
