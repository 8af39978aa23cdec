package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/azphalt/submissions/annotate"
	"github.com/azphalt/submissions/azp"
	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/finding"
	"github.com/azphalt/submissions/internal/build"
	"github.com/azphalt/submissions/internal/config"
	"github.com/azphalt/submissions/internal/published"
	"github.com/azphalt/submissions/probe"
)

type verifyFlags struct {
	reportFlags
	trust string
	// registry is the folder of a checkout of the registry's base branch; "" for none.
	registry string
	fix      bool
	probe    string // see probe.New
	fetch    bool
	limits   azp.Limits
}

func newVerify() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Verify packages, source folders and manifests",
		Long: `verify judges packages and prints every fault with its rule, its place and its mend.

PATH is an .azp archive, the folder of a package (it holds manifest.json), a folder of those, or any .json file, which is
read as a manifest by itself: then only its shape and the rules of its kind are judged.

With --fix, the mends that are certain are carried out on manifest.json of source folders and on manifests by themselves;
the report, and the exit status, are of what is left. Archives are never edited.

--probe starts the WASI servers of a package in a sandbox, without files, network or anything of this machine, and compares
what they say that they offer with the manifest; --probe=remote connects to servers on the network instead, and
--probe=wasi,remote does both. --fetch fetches the modules that are not in the package. Nothing of that is done unasked, and
all that it can lead to are warnings.

Exit status: 0 when nothing is at or above --fail-on, 1 when something is, 2 for a wrong command line, 3 when something
could not be read.`,
		Example: `  azp verify submissions/com.example.my-package
  azp verify --trust registry-keys.json dist/*.azp
  azp verify --fix submissions/com.example.my-package
  azp verify --format json submissions >report.json
  azp verify --probe --format markdown my-package`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("verify needs at least one PATH: an .azp archive, a folder or a .json manifest")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return verify(cmd, f, args) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.trust, "trust", "", `judge signers against the keys in this file: {"keys":[{"publicKey":"…"}]}`)
	flags.StringVar(&f.registry, "registry", "", "judge against what this checkout of the registry's base branch holds: versions, publishers, ids")
	flags.BoolVar(&f.fix, "fix", false, "carry out the mends that are certain, in the manifests of source folders")
	flags.StringVar(&f.probe, "probe", "none", "ask servers what they offer: wasi, remote or wasi,remote")
	flags.Lookup("probe").NoOptDefVal = probe.WASI
	flags.BoolVar(&f.fetch, "fetch", false, "fetch modules from their remoteUrl, and judge them too")
	limits := azp.DefaultLimits
	flags.Int64Var(&f.limits.Package, "max-package", limits.Package, "limit of an archive, in bytes")
	flags.Int64Var(&f.limits.Unpacked, "max-unpacked", limits.Unpacked, "limit of a package's files together, in bytes")
	flags.IntVar(&f.limits.Entries, "max-entries", limits.Entries, "limit of a package's number of files")
	flags.Int64Var(&f.limits.Manifest, "max-manifest", limits.Manifest, "limit of manifest.json, in bytes")
	flags.IntVar(&f.limits.Depth, "max-depth", limits.Depth, "nesting of a manifest beyond which a warning is given")
	_ = cmd.RegisterFlagCompletionFunc("probe", cobra.FixedCompletions([]string{"none", probe.WASI, probe.Remote, probe.WASI + "," + probe.Remote}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func verify(cmd *cobra.Command, f verifyFlags, args []string) error {
	asking, err := f.asking()
	if err != nil {
		return err
	}
	opt := check.Options{Limits: f.limits, Probe: asking}
	if f.trust != "" {
		store, err := readTrustStore(f.trust)
		if err != nil {
			return err
		}
		opt.Trust = &store
	}
	var general []finding.Finding
	if opt.Config, general, err = f.readConfig(); err != nil {
		return err
	}
	if f.registry != "" {
		if _, err := os.ReadDir(f.registry); err != nil {
			return err
		}
		cfg := opt.Config
		if cfg == nil {
			cfg = config.Default()
		}
		opt.Published = published.New(os.DirFS(f.registry), cfg.Submissions, cfg.Registry.Path, f.limits)
	}
	progress := newProgress(cmd.ErrOrStderr())
	judging := func(opt check.Options) func() (*finding.Report, error) {
		c := check.New(opt)
		return func() (*finding.Report, error) {
			report, err := verifyPaths(cmd.Context(), c, args, progress)
			report.General = slices.Clone(general)
			if opt.Config != nil {
				opt.Config.ApplyWaivers(report, time.Now(), func(w config.Waiver) bool {
					return slices.ContainsFunc(args, func(arg string) bool { return w.Below(filepath.ToSlash(filepath.Clean(arg))) })
				})
				report.Sort()
			}
			return report, err
		}
	}
	var report *finding.Report
	var lookErr error
	if f.fix {
		report, lookErr = fixAll(cmd.ErrOrStderr(), args, opt, judging)
	} else {
		report, lookErr = judging(opt)()
	}
	if lookErr != nil && f.format == annotate.FormatText && len(report.Packages)+len(report.General) == 0 {
		return lookErr // the text would say that there was nothing to check
	}
	err = f.write(cmd, report)
	if lookErr != nil && (err == nil || errors.Is(err, errFindings)) {
		return lookErr
	}
	return err
}

// verifyPaths judges all packages at the paths. What could not be read has its entry in the report too; the error says
// so.
func verifyPaths(ctx context.Context, c *check.Checker, paths []string, p *progress) (*finding.Report, error) {
	report := &finding.Report{Tool: finding.Tool{Name: "azp", Version: build.Version()}}
	tree, err := newDiskTree()
	if err != nil {
		return report, err
	}
	var targets []check.Target
	var failed []error
	for _, arg := range paths {
		found, err := tree.discover(c, arg)
		switch {
		case errors.Is(err, check.ErrNoPackage):
			report.Packages = append(report.Packages, c.Missing(filepath.ToSlash(filepath.Clean(arg))))
		case err != nil:
			failed = append(failed, err)
		}
		targets = append(targets, found...)
	}
	p.start(len(targets))
	judged, err := c.JudgeAll(ctx, tree.root, check.Selection{Targets: targets}, p.step)
	p.stop()
	report.Packages = append(report.Packages, judged...)
	report.Sort()
	report.Packages = slices.CompactFunc(report.Packages, func(a, b finding.Package) bool { return a.Path == b.Path && a.Shape == b.Shape })
	return report, errors.Join(append(failed, err)...)
}

// diskTree is the file system of the machine, with the working directory in it.
type diskTree struct {
	root fs.FS
	cwd  string
}

func newDiskTree() (*diskTree, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return &diskTree{root: os.DirFS(filepath.VolumeName(cwd) + "/"), cwd: cwd}, nil
}

// discover finds the packages at a path of the command line.
func (d *diskTree) discover(c *check.Checker, arg string) ([]check.Target, error) {
	abs := arg
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(d.cwd, arg)
	}
	abs = filepath.ToSlash(filepath.Clean(abs))
	location := strings.TrimPrefix(strings.TrimPrefix(abs, filepath.ToSlash(filepath.VolumeName(abs))), "/")
	if location == "" {
		location = "."
	}
	targets, err := c.Discover(d.root, location, filepath.ToSlash(filepath.Clean(arg)))
	if perr, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", arg, perr.Err)
	}
	return targets, err
}

func readTrustStore(path string) (azp.TrustStore, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return azp.TrustStore{}, err
	}
	store, err := azp.ParseTrustStore(data)
	if err != nil {
		return store, fmt.Errorf("%s: %w", path, err)
	}
	return store, nil
}

// asking says how servers are asked what they offer. Compiled modules are kept in the user's cache, where there is one.
func (f *verifyFlags) asking() (check.Probe, error) {
	dir, err := os.UserCacheDir()
	if err == nil {
		dir = filepath.Join(dir, "azphalt", "modules")
	}
	p, err := probe.New(f.probe, dir)
	if err != nil {
		return p, usagef("--probe: %v", err)
	}
	if f.fetch {
		p.Fetch = (&probe.Network{}).Fetch
	}
	return p, nil
}
