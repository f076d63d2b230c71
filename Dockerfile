# An image of the manager (aliquotd), the command line (aliquot) and the simulator (aliquot-sim).
#
#   docker build -t aliquot --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
#   docker run -v /etc/aliquot:/etc/aliquot -v /var/lib/aliquot:/var/lib/aliquot -v /run/aliquot:/run/aliquot aliquot
#
# No hypervisor runs in it: the manager reaches each node's libvirtd by the URI that its configuration
# names. A node is a Debian 12 with `tools/deps nodes` on it (libvirt-daemon, libvirt-daemon-driver-qemu,
# qemu-system-x86), and mounts the spool, /var/lib/aliquot/spool, from storage that all nodes share.
#
# test/image/dockerfile_chroot.sh runs these very steps where there is no container engine.

FROM debian:12 AS build
WORKDIR /src
COPY tools/deps tools/deps
COPY tools/lib tools/lib
RUN tools/deps simulator manager guest
COPY CMakeLists.txt CMakePresets.json LICENSE NOTICE ./
COPY policies policies
COPY config config
COPY monitor monitor
COPY manager manager
COPY tools tools
ARG COMMIT=
RUN cmake --preset release -DALIQUOT_COMMIT="$COMMIT" && cmake --build --preset release -j "$(nproc)"
RUN tools/guest/build /src/guest
RUN tools/deps --list runtime >runtime-packages

FROM debian:12
COPY --from=build /src/runtime-packages /usr/share/aliquot/runtime-packages
RUN apt-get update -q=2 && xargs apt-get install -q=2 -y --no-install-recommends </usr/share/aliquot/runtime-packages && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/bin/aliquotd /src/build/release/bin/aliquot /src/build/release/bin/aliquot-sim /usr/local/bin/
COPY --from=build /src/guest /usr/share/aliquot/guest
COPY config/aliquot.example.yaml /etc/aliquot/aliquot.yaml
COPY LICENSE NOTICE /usr/share/doc/aliquot/
VOLUME /var/lib/aliquot
EXPOSE 9750
ENTRYPOINT ["/usr/local/bin/aliquotd"]
CMD ["--config", "/etc/aliquot/aliquot.yaml"]
