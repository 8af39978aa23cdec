# The Action and the command, one static binary that is the Action where it is called so: no shell, nothing to fetch at run
# time. The bot has a target of its own, as it is larger: `docker build --target bot .`
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
ENV CGO_ENABLED=0 LDFLAGS="-s -w -X github.com/azphalt/submissions/internal/build.version="
RUN go build -trimpath -ldflags "$LDFLAGS$VERSION" -o /out/ ./cmd/azp && ln -s azp /out/action

FROM build AS build-bot
RUN go build -trimpath -ldflags "$LDFLAGS$VERSION" -o /out-bot/ ./cmd/bot && mkdir /out-data

FROM gcr.io/distroless/static-debian12:nonroot AS bot
COPY --from=build-bot /out-bot/bot /usr/local/bin/bot
# Its database is here unless set otherwise. A volume takes over to whom the folder belongs.
COPY --from=build-bot --chown=65532:65532 /out-data /data
WORKDIR /data
ENTRYPOINT ["/usr/local/bin/bot"]

# Container actions run as root, so that they can read the workspace; see GitHub's "Dockerfile support for GitHub Actions".
FROM gcr.io/distroless/static-debian12
COPY --from=build /out/ /usr/local/bin/
ENTRYPOINT ["/usr/local/bin/action"]
