# The Action and the bot: one static binary, which is the one or the other by its name (cmd/image). No shell, nothing to fetch
# at run time.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
# Without HTTP/2, half a megabyte of what the image may be: the bot is served behind something that ends TLS, and its calls to
# GitHub are few.
# Nothing is inlined (-l) in the packages that wait for a database or the network: a quarter of a megabyte less.
RUN CGO_ENABLED=0 go build -tags nethttpomithttp2 -trimpath -gcflags=github.com/azphalt/submissions/bot=-l -gcflags=github.com/jackc/pgx/v5/...=-l -gcflags=github.com/riverqueue/...=-l -gcflags=github.com/modelcontextprotocol/...=-l -ldflags "-s -w -X github.com/azphalt/submissions/internal/build.version=$VERSION" -o /out/action ./cmd/image && \
    ln -s action /out/bot && mkdir /out-data

# Container actions run as root, so that they can read the workspace; see GitHub's "Dockerfile support for GitHub Actions". The
# bot needs no root: docker run --user 65532 --entrypoint /usr/local/bin/bot …
FROM gcr.io/distroless/static-debian12
COPY --from=build /out/ /usr/local/bin/
# For the bot's database. A volume takes over to whom the folder belongs.
COPY --from=build --chown=65532:65532 /out-data /data
ENTRYPOINT ["/usr/local/bin/action"]
