# Cross-compiles for Debian's arm64, with its libraries beside our own (multiarch);
# `ARCH=arm64 ./dev deps build` installs both.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
