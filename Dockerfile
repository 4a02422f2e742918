# The gateway as an image: docker build --tag camino .
#
# The first stage builds the package (npm pack) and installs it without install scripts; the second has that, and a shell for
# the launcher. Node.js is not in it: the package brings its runtime, which brings its root certificates.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --pack-destination /tmp
RUN npm install -g --prefix /opt/camino --ignore-scripts --no-audit --no-fund /tmp/camino-*.tgz

FROM debian:bookworm-slim
COPY --from=build /opt/camino /opt/camino
# The one place that is written to, besides /tmp for the sockets of several workers. A volume takes over its owner.
RUN install -d -m 0700 -o 10001 -g 10001 /data
ENV PATH=/opt/camino/bin:/usr/local/bin:/usr/bin:/bin \
    CAMINO_HOST=0.0.0.0 \
    CAMINO_DATA=/data \
    HOME=/tmp
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
# Whether the process answers. Whether it can serve (its database, its workers) is /readyz, for a balancer.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["/opt/camino/lib/node_modules/camino/bin/camino-bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.CAMINO_PORT ?? 8787}/healthz`)).ok ? 0 : 1)"]
# The launcher replaces itself by the gateway, which takes SIGTERM as process 1 and drains for up to 120 seconds:
# docker stop --time 130.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/camino/bin/camino"]
CMD ["serve"]
