package main

// recipe says how an archive of the example is made.
type recipe struct {
	// name is ID-VERSION: the archive's, and that of its source, packages/NAME.txtar.
	name string
	// about is set where the source is packages/film.txtar: what the package has to say of itself.
	about string
	// file is the archive's file name, where that is not NAME.azp.
	file string
	// beside puts the manifest.json that the archive was built from beside it.
	beside bool
	// steps follow upon packing.
	steps []step
}

// step makes another archive of one.
type step func(archive []byte) ([]byte, error)

// film is the path of the asset in packages/film.txtar.
const film = "assets/film.cube"

var recipes = []recipe{
	{name: "com.example.good.paper-textures-1.0.0", steps: []step{sign(author, authorID)}},
	{name: "com.example.good.paper-textures-1.1.0", beside: true, steps: []step{
		sign(author, authorID), countersign(studio, studioID), countersign(registry, registryID),
	}},
	{name: "com.example.good.rename-layers-1.0.0", steps: []step{sign(author, ""), countersign(registry, registryID)}},
	{name: "com.example.good.soft-glow-1.0.0", beside: true, steps: []step{zippedByOthers}},
	{name: textTools, beside: true, steps: []step{sign(author, authorID), countersign(registry, registryID)}},
	{name: "com.example.good.weather-1.0.0", steps: []step{sign(stranger, "")}},

	{name: "com.example.warn.file-name-1.0.0", about: "Complete, but not named for its version.", file: "film.azp"},
	{name: "com.example.warn.lifted-chain-1.0.0", about: "Signed by one author, with the counter-signature of another's key.", steps: []step{liftedChain}},

	{name: "com.example.bad.undeclared-input-1.0.0", beside: true},
	{name: "com.example.bad.converted-line-ends-1.0.0", about: "Packed with LF; turned into CR LF afterwards.", steps: []step{edit(film, toCRLF)}},
	{name: "com.example.bad.finder-junk-1.0.0", about: "Zipped by Finder, with what that leaves behind.", steps: []step{
		add(".DS_Store", "\x00\x00\x00\x01Bud1"), add("__MACOSX/assets/._film.cube", "\x00\x05\x16\x07"),
	}},
	{name: "com.example.bad.path-escape-1.0.0", about: "Has an entry that would be unpacked outside of the package.", steps: []step{
		rename(film, "../../film.cube"),
	}},
	{name: "com.example.bad.name-collision-1.0.0"},
	{name: "com.example.bad.two-manifests-1.0.0", about: "One reader takes the first manifest, another the second.", steps: []step{
		add("manifest.json", `{"azphalt":"0.1","id":"com.example.bad.other","kind":"code"}`),
	}},
	{name: "com.example.bad.local-header-1.0.0", about: "A streaming reader sees a name that the directory does not have.", steps: []step{
		renameLocally(film, "assets/evil.cube"),
	}},
	{name: "com.example.bad.hidden-entry-1.0.0", about: "Has an entry that the directory does not list.", steps: []step{
		add("assets/hidden.js", "export function register() {}\n"), unlist("assets/hidden.js"),
	}},
	{name: "com.example.bad.declared-size-1.0.0", about: "Unpacks to more than it declares.", steps: []step{declareSize(film, 8)}},
	{name: "com.example.bad.symlink-entry-1.0.0", about: "Its asset is a link to a file of the host.", steps: []step{
		exchange(film, "/etc/hostname"), link(film),
	}},
	{name: "com.example.bad.trailing-bytes-1.0.0", about: "Something stands behind the end of the archive.", steps: []step{trail("and more\n")}},
	{name: "com.example.bad.gzipped-1.0.0", about: "Is a gzip stream under the name of a package.", steps: []step{gzipped}},
	{name: "com.example.bad.wrapped-folder-1.0.0", about: "The folder was zipped, not its contents.", steps: []step{wrap("film/")}},
	{name: "com.example.bad.git-lfs-payload-1.0.0", about: "Was packed from a checkout without Git LFS.", steps: []step{exchange(film, lfsPointer)}},
	{name: "com.example.bad.git-lfs-pointer-1.0.0", about: "Is still in Git LFS.", steps: []step{become(lfsPointer)}},
	{name: "com.example.bad.changed-after-signing-1.0.0", about: "Was signed, then changed.", steps: []step{
		sign(author, authorID), edit("manifest.json", replace("Was signed, then changed.", "Was never signed like this.")),
	}},
	{name: "com.example.bad.low-order-key-1.0.0", about: "Signed with a key for which anyone can sign.", steps: []step{lowOrderKey}},
}
