#include <fcntl.h>
#include <unistd.h>

#include "app/command_line.h"

namespace {

// A standard stream that the caller closed stays useless: else the next file that is opened would
// take its number, and be read as standard input or be written by what is meant for people.
void KeepStandardStreams() {
  constexpr int kUseless[] = {O_WRONLY, O_RDONLY, O_RDONLY};  // of input, output, errors
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // The lowest number that is free is taken, and those below are not.
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", kUseless[stream]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  KeepStandardStreams();
  return tpu_admission::app::Run(argc, argv);
}
