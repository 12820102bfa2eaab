# For amd64 and arm64. Both stages have the same Node and the same C library, for which the SQLite driver is built.
FROM node:22-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json LICENSE ./
COPY build ./build
COPY protocol ./protocol
COPY src ./src
RUN npm ci
RUN npm prune --omit=dev

FROM node:22-bookworm-slim
WORKDIR /opt/teller
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
RUN chmod 755 /opt/teller/dist/cli.js && ln -s /opt/teller/dist/cli.js /usr/local/bin/teller
RUN install -d -o node -g node -m 700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8192
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:8193/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["teller"]
CMD ["run"]
