# One image for every process: start (all in one), gateway, migrate.
FROM node:24-bookworm-slim

WORKDIR /app
COPY . .
# The base image is the Node this runs on, so the one that npm brings for development stays out.
RUN npm ci --omit=dev \
  && rm -rf node_modules/node-* node_modules/.bin/node \
  && npm cache clean --force \
  && install -d -o node -g node -m 700 /data

ENV NODE_ENV=production \
  POSTERN_DATA_DIR=/data \
  POSTERN_HOST=0.0.0.0

USER node
VOLUME /data
EXPOSE 8025

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.POSTERN_PORT || 8025}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["scripts/docker-entrypoint.sh"]
CMD ["start"]
