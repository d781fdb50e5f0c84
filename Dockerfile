# syntax=docker/dockerfile:1
# Exact versions, so that a build is the same tomorrow. docs/deployment.md describes how to pin their digests as well.
FROM node:24.20.0-bookworm AS build
WORKDIR /app
# The image has the compiler, make and Python that better-sqlite3 and ssh2's crypto need, and the headers of Node.js.
ENV npm_config_nodedir=/usr/local
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY tsconfig.json ./
COPY apps apps
COPY db db
# The manual, which the gateway serves at /help.
COPY README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE ./
COPY docs docs
COPY tests/pictures tests/pictures
RUN node_modules/.bin/vite build -c apps/server/vite.config.ts \
 && node_modules/.bin/vite build -c apps/server/keeper/vite.config.ts \
 && node_modules/.bin/vite build -c apps/web/vite.config.ts \
 && npm prune --omit=dev \
 && rm -rf node_modules/better-sqlite3/deps node_modules/.cache

FROM node:24.20.0-bookworm-slim
LABEL org.opencontainers.image.title="Sallyport" \
      org.opencontainers.image.description="Self-hosted web SSH and SFTP gateway" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
ENV NODE_ENV=production \
    SERVICE_HOST=0.0.0.0 \
    SERVICE_PORT=8443 \
    SERVICE_DATA_DIR=/data \
    SERVICE_RECORDINGS_DIR=/data/recordings \
    SERVICE_LOG_FORMAT=json
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/apps/server/start.mjs apps/server/start.mjs
# A new volume takes its owner from these directories, even one for recordings only.
RUN install -d -o node -g node -m 700 /data /data/recordings \
 && ln -s /app/apps/server/start.mjs /usr/local/bin/sallyport
USER node
VOLUME /data
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "const { SERVICE_HOST: host, SERVICE_PORT: port, SERVICE_ROOT_PATH: prefix = '' } = process.env; const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host; fetch(`http://${name}:${port}${prefix.replace(/[/]+$/, '')}/api/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "apps/server/start.mjs"]
