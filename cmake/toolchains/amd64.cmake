# Cross-compiles for Debian's amd64, with its libraries beside our own (multiarch);
# `ARCH=amd64 ./dev deps build` installs both.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-linux-gnu-g++)
