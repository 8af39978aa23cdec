package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/internal/atomicfile"
)

func newSign() *cobra.Command {
	return signing("sign", "Sign a package", `sign adds the signature of the author: Ed25519 over the stored bytes of manifest.json. A signature that is there, with its
counter-signatures, is replaced. A package with faults is not signed.`,
		func(p *azp.Package, w io.Writer, s azp.Signer, keyID string) error { return p.Sign(w, s, keyID) })
}

func newCountersign() *cobra.Command {
	return signing("countersign", "Vouch for the key that signed a package", `countersign adds a counter-signature over the key on top of the package's chain: the author's, or that of the last
counter-signer. It vouches for the key, and so for every package that the key signs. The author's signature stays valid.`,
		func(p *azp.Package, w io.Writer, s azp.Signer, keyID string) error { return p.Countersign(w, s, keyID) })
}

func signing(name, short, long string, do func(*azp.Package, io.Writer, azp.Signer, string) error) *cobra.Command {
	var k keyFlags
	cmd := &cobra.Command{
		Use:     name + " FILE --key PEM",
		Short:   short,
		Long:    long + "\n\nWithout -o the file itself is replaced, whole or not at all.",
		Example: fmt.Sprintf("  azp %s com.example.my-package-1.0.0.azp --key key.pem --key-id acme-2026", name),
		Args:    exactly(1, "one FILE, an .azp archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if k.key == "" {
				return usagef("%s needs --key, the private key", name)
			}
			signer, err := k.signer()
			if err != nil {
				return err
			}
			p, f, err := openPackage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			out := args[0]
			if k.out != "" {
				out = k.out
			}
			err = atomicfile.Write(out, 0o644, func(w io.Writer) error { return do(p, w, signer, k.keyID) })
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%sed %s with %s\n", name, out, signer.Public())
			return err
		},
	}
	cmd.Flags().StringVarP(&k.out, "output", "o", "", "file to write (default: FILE itself)")
	k.register(cmd)
	return cmd
}

// openPackage reads a package. The file has to stay open while the package is used.
func openPackage(ctx context.Context, path string) (*azp.Package, *os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could wait for ever
		return nil, nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	p, err := azp.Read(ctx, f, info.Size(), azp.Limits{})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return p, f, nil
}

func newKeygen() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "keygen",
		Short: "Make a key to sign with",
		Long: `keygen makes an Ed25519 key and writes it as PKCS#8 PEM, as "openssl genpkey -algorithm ed25519" does. With -o the key goes
to a new file that only you can read, and the public key, by which others know you, is printed.

Keep the private key to yourself: whoever has it can publish in your name.`,
		Example: "  azp keygen -o author.pem",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := azp.NewPrivateKey()
			if err != nil {
				return err
			}
			pem, err := key.PEM()
			if err != nil {
				return err
			}
			if out == "" {
				_, err := cmd.OutOrStdout().Write(pem)
				return err
			}
			if err := writeNew(out, pem); err != nil {
				return err
			}
			entry, err := json.Marshal(map[string]any{"keys": []azp.TrustedKey{{PublicKey: key.Public().String()}}})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "private key: %s\npublic key:  %s\ntrust store: %s\n", out, key.Public(), entry)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "new file for the private key (default: standard output)")
	return cmd
}

// writeNew writes a file that was not there, for the owner alone.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and a key is never overwritten", path)
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

func newTrust() *cobra.Command {
	var store string
	cmd := &cobra.Command{
		Use:   "trust FILE --store F",
		Short: "Say whether a package's signer is trusted",
		Long: `trust judges the signer of a package against a trust store: its key is in the store, or a counter-signer's is and every
counter-signature down to the signer verifies. Exit status: 0 when trusted, 1 when not.`,
		Example: "  azp trust com.example.my-package-1.0.0.azp --store registry-keys.json",
		Args:    exactly(1, "one FILE, an .azp archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if store == "" {
				return usagef("trust needs --store, the file with the trusted keys")
			}
			s, err := readTrustStore(store)
			if err != nil {
				return err
			}
			p, f, err := openPackage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			trust := s.Judge(p)
			text := "not trusted: " + trust.Reason + "\n"
			if trust.Trusted {
				text = "trusted: " + trust.Reason + "\n"
			}
			if trust.Via != nil {
				text += fmt.Sprintf("via %s\n", trust.Via)
			}
			if _, err := io.WriteString(cmd.OutOrStdout(), text); err != nil {
				return err
			}
			if !trust.Trusted {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&store, "store", "", "trust store")
	return cmd
}
