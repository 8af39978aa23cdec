// Package pgtest gives tests databases on a PostgreSQL server.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Database creates a database on the server that AZP_TEST_POSTGRES names, for this test alone, and returns its address. Without
// a server the test is skipped.
func Database(t testing.TB) string {
	t.Helper()
	server := os.Getenv("AZP_TEST_POSTGRES")
	if server == "" {
		t.Skip("AZP_TEST_POSTGRES is not set")
	}
	ctx := context.Background()
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("azp_test_%d", time.Now().UnixNano())
	if _, err := c.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := c.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
