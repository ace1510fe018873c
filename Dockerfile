# The image of tpu-admission, for any builder (docker, podman, buildah).
#
#   docker build --build-arg TPU_ADMISSION_REVISION="$(git rev-parse --short=12 HEAD)" -t tpu-admission .
#
# For arm64 as well, where emulation or an arm64 builder is there (nothing in here is of one processor):
#   docker buildx build --platform linux/amd64,linux/arm64 ...
#
# BASE is the Debian 12 that we build on; nothing of it is in the final image but the shared
# libraries that the binary needs.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
# First what changes seldom: the build dependencies.
COPY dev ./
RUN ./dev deps
COPY . .
ARG TPU_ADMISSION_REVISION=unknown
# How many compilers run at once; empty: one per processor.
ARG JOBS=
RUN ./dev build && strip build/release/tpu-admission
# The time that the SBOM carries; with `--timestamp` of buildah or rewrite-timestamp of BuildKit the same
# sources and packages give the same image.
ARG SOURCE_DATE_EPOCH=0
# The root of the final image: the binary, the loader and the libraries, what a scanner needs to know
# of their versions, their licences, and catalog and policy to read.
RUN set -eu; \
    root=/root-of-image binary=build/release/tpu-admission; \
    mkdir -p $root/usr/bin $root/etc/tpu-admission $root/var/lib/dpkg/status.d; \
    cp $binary $root/usr/bin/; \
    cp config/*.yaml $root/etc/tpu-admission/; \
    mkdir -p $root/usr/share/doc/tpu-admission; cp LICENSE $root/usr/share/doc/tpu-admission/; \
    ldd $binary | grep -o '/[^ ]*' | sort -u > libraries; \
    xargs cp --dereference --parents --target-directory=$root < libraries; \
    for library in $(xargs realpath < libraries); do \
      dpkg-query --search "$library" "${library#/usr}" 2>/dev/null | cut -d: -f1; \
    done | sort -u > packages; \
    for package in $(cat packages); do \
      dpkg-query --status "$package" > "$root/var/lib/dpkg/status.d/$package"; \
      cp --dereference --parents "/usr/share/doc/$package/copyright" $root; \
    done; \
    tools/sbom $binary "$(cat VERSION)" "$TPU_ADMISSION_REVISION" $(cat packages) \
      > $root/usr/share/doc/tpu-admission/sbom.spdx.json

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
