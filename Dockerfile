# The Action, the bot and the command in one image: static binaries, no shell, nothing to fetch at run time.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
ENV CGO_ENABLED=0
RUN go build -trimpath -ldflags "-s -w -X github.com/azphalt/submissions/internal/build.version=$VERSION" -o /out/ ./cmd/action ./cmd/azp ./cmd/bot

# Container actions run as root, so that they can read the workspace; see GitHub's "Dockerfile support for GitHub Actions".
FROM gcr.io/distroless/static-debian12
COPY --from=build /out/ /usr/local/bin/
ENTRYPOINT ["/usr/local/bin/action"]
