package check

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/finding"
)

func TestNearestLicenses(t *testing.T) {
	for name, want := range map[string]string{
		"Apache 2.0": "Apache-2.0", "Apache License, Version 2.0": "Apache-2.0", "The MIT License": "MIT", "mit license": "MIT", "BSD 3 Clause": "BSD-3-Clause",
		"MITT": "", "Apache2": "Apache-2.0", "GPLv3": "GPL-3.0-only or GPL-3.0-or-later", "GPL": "", "BSD": "", "proprietary": "", "": "", "v": "",
	} {
		ids, certain := nearestLicenses(name)
		if got := strings.Join(ids, " or "); got != want || certain != (len(ids) == 1) {
			t.Errorf("%q: got %q, want %q; certain: %v", name, got, want, certain)
		}
	}
}

func TestLicenseText(t *testing.T) {
	const (
		mit    = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software and associated documentation files"
		apache = "                                 Apache License\n                           Version 2.0, January 2004\n"
		gpl    = "GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007\n … use the GNU Lesser General Public License instead of this License. …"
		lgpl   = "GNU LESSER GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007\n the terms and conditions of version 3 of the GNU General Public License"
		bsd    = "Redistribution and use in source and binary forms, with or without modification, are permitted provided"
	)
	for _, c := range []struct {
		declared, text string
		want           bool
	}{
		{"MIT", mit, false}, {"MIT", gpl, true}, {"MIT", apache + mit, false}, {"MIT OR Apache-2.0", apache, false}, {"Apache-2.0", mit, true},
		{"GPL-3.0-only", gpl, false}, {"LGPL-3.0-only", gpl, true}, {"LGPL-3.0-or-later", lgpl, false}, {"GPL-3.0-or-later", lgpl, true},
		{"BSD-3-Clause", bsd, false}, {"BSD-2-Clause", mit, true}, {"LicenseRef-Mine", mit, false}, {"CC-BY-4.0", mit, false},
		{"MIT", "MIT", false}, {"MIT", "", false}, {"Apache 2.0", mit, false}, {"GPL-2.0-only WITH Classpath-exception-2.0", mit, true},
	} {
		manifest := `{"azphalt":"0.1","id":"com.example.x","name":"x","version":"1.0.0","kind":"asset","compat":">=0.1","license":` + jsonString(c.declared) + `}`
		folder := fstest.MapFS{"manifest.json": {Data: []byte(manifest)}, "LICENSE": {Data: []byte(c.text)}}
		p, err := New(Options{}).Source(context.Background(), Target{Path: "x", Shape: finding.Source}, folder)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(p.Findings, func(f finding.Finding) bool { return f.Rule == "manifest/license-text" }); got != c.want {
			t.Errorf("%s, %.40q: %v", c.declared, c.text, rulesOf(p))
		}
	}
}
