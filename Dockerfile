# The image of tpu-admission, for docker (BuildKit), podman and buildah; docs/image.md tells how to build
# for two processors and how to get the same image again.
#
#   docker build --build-arg TPU_ADMISSION_REVISION="$(git rev-parse --short=12 HEAD)" -t tpu-admission .
#
# BASE is the Debian 13 that we build on; nothing of it is in the final image but the shared
# libraries that the binary needs.
ARG BASE=debian:trixie-slim

# Builds on this machine's processor and cross-compiles for another: an emulated compiler would take an hour.
FROM --platform=$BUILDPLATFORM ${BASE} AS build
WORKDIR /src
# The processor that the image is for; the builder sets it. Empty: this machine's.
ARG TARGETARCH
# First what changes seldom: the build dependencies.
COPY dev ./
RUN ARCH=$TARGETARCH ./dev deps build
COPY . .
ARG TPU_ADMISSION_REVISION=unknown
# How many compilers run at once; empty: one per processor.
ARG JOBS=
RUN ARCH=$TARGETARCH ./dev build
# The time of the files and of the SBOM. The same sources and packages give the same files, and with
# `--timestamp` of buildah, or BuildKit, which reads this too, the same image.
ARG SOURCE_DATE_EPOCH=0
RUN tools/image_root build/release*/ /root-of-image "$TPU_ADMISSION_REVISION"

FROM scratch
ARG TPU_ADMISSION_REVISION=unknown
LABEL org.opencontainers.image.title="tpu-admission" \
      org.opencontainers.image.description="Admission webhook and offline checker for TPU workloads on GKE" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${TPU_ADMISSION_REVISION}"
COPY --from=build /root-of-image /
USER 65532:65532
# HTTPS for the API server; plain HTTP for probes and metrics.
EXPOSE 10250 8080
ENTRYPOINT ["/usr/bin/tpu-admission"]
CMD ["serve"]
