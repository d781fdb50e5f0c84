# syntax=docker/dockerfile:1
FROM node:24-bookworm AS build
WORKDIR /app
# better-sqlite3 and ssh2's crypto are compiled here, against the headers that the image carries.
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential python3 \
 && rm -rf /var/lib/apt/lists/*
ENV npm_config_nodedir=/usr/local
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --include=dev
COPY tsconfig.json ./
COPY apps apps
COPY db db
RUN node_modules/.bin/vite build -c apps/server/vite.config.ts \
 && node_modules/.bin/vite build -c apps/web/vite.config.ts \
 && npm prune --omit=dev

FROM node:24-bookworm-slim
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
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 8443
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT}${(process.env.SERVICE_ROOT_PATH ?? '').replace(/\\/+$/, '')}/api/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "apps/server/start.mjs"]
