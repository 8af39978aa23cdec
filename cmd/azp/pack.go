package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/atomicfile"
)

type keyFlags struct{ key, keyID, out string }

func (k *keyFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.key, "key", "", "private key: PKCS#8 PEM, Ed25519, as `azp keygen` writes it")
	cmd.Flags().StringVar(&k.keyID, "key-id", "", "name for the key, recorded with the signature")
}

// signer reads the private key.
func (k *keyFlags) signer() (azp.Signer, error) {
	data, err := os.ReadFile(k.key)
	if err != nil {
		return nil, err
	}
	key, err := azp.ParsePrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.key, err)
	}
	return key, nil
}

func newPack() *cobra.Command {
	var k keyFlags
	cmd := &cobra.Command{
		Use:   "pack DIR",
		Short: "Pack a source folder into an .azp",
		Long: `pack makes an .azp of a folder that holds manifest.json, LICENSE and the payload. The same folder always gives the same
bytes. With --key the package is signed.

The folder is verified, too: what the registry would refuse is printed, and the exit status is then 1.`,
		Example: `  azp pack my-package
  azp pack my-package -o dist/my-package.azp --key author.pem --key-id acme-2026`,
		Args: exactly(1, "one DIR, the folder of a package"),
		RunE: func(cmd *cobra.Command, args []string) error { return pack(cmd, k, args[0]) },
	}
	cmd.Flags().StringVarP(&k.out, "output", "o", "", "file to write (default ID-VERSION.azp)")
	k.register(cmd)
	return cmd
}

func pack(cmd *cobra.Command, k keyFlags, dir string) error {
	ctx := cmd.Context()
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return usagef("%s is no folder", dir)
	}
	report, err := verifyPaths(ctx, check.New(check.Options{}), []string{dir}, newProgress(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	if len(report.Findings()) > 0 {
		if err := annotate.Text(cmd.ErrOrStderr(), report, faces(cmd.ErrOrStderr()).Text); err != nil {
			return err
		}
	}
	src, err := azp.ReadSource(ctx, os.DirFS(dir), azp.Limits{})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := src.Pack(&archive); err != nil {
		return err
	}
	if k.out == "" {
		if k.out, err = archiveName(src); err != nil {
			return err
		}
	}
	fill := func(w io.Writer) error { _, err := w.Write(archive.Bytes()); return err }
	if k.key != "" {
		if fill, err = signed(ctx, &archive, k); err != nil {
			return err
		}
	}
	if err := atomicfile.Write(k.out, 0o644, fill); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "packed %s\n", k.out); err != nil {
		return err
	}
	if report.Failed(finding.Error) {
		fmt.Fprintln(cmd.ErrOrStderr(), "The registry would refuse this package: see the findings above.")
		return errFindings
	}
	return nil
}

// signed signs a packed archive.
func signed(ctx context.Context, archive *bytes.Buffer, k keyFlags) (func(io.Writer) error, error) {
	signer, err := k.signer()
	if err != nil {
		return nil, err
	}
	p, err := azp.Read(ctx, bytes.NewReader(archive.Bytes()), int64(archive.Len()), azp.Limits{})
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error { return p.Sign(w, signer, k.keyID) }, nil
}

// archiveName is the name that the registry gives to a package's file.
func archiveName(src *azp.SourceFolder) (string, error) {
	id, version := src.Manifest.Root().Get("id").Str(), src.Manifest.Root().Get("version").Str()
	name := id + "-" + version + ".azp"
	if id == "" || version == "" || strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) {
		return "", errors.New("the manifest's id and version give no file name: name the output with -o")
	}
	return name, nil
}
