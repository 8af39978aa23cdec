package check

import (
	"slices"
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"
	"github.com/github/go-spdx/v2/spdxexp/spdxlicenses"

	"github.com/azphalt/submissions/azp"
)

// maxLicense bounds the expressions that are parsed.
const maxLicense = 500

// judgeLicense asks for a license that programs know, too.
func (m *manifest) judgeLicense() {
	v := m.root.Get("license")
	if !nonEmptyString(v) || isSPDX(v.Str()) {
		return
	}
	mend := fix(`write an SPDX id such as "MIT", or "LicenseRef-" and a name of your own`)
	switch ids, certain := nearestLicenses(v.Str()); {
	case certain:
		start, end := v.Span()
		mend = fixBy([]edit{{start, end, jsonString(ids[0])}}, "write %s", quote(ids[0]))
	case len(ids) > 0:
		mend = fix("write %s, as the text in %s has it", oneOf(ids), azp.LicenseName)
	}
	m.add("manifest/license-not-spdx", at(v), quote(v.Str())+" is no SPDX license expression: stores and hosts could not tell what is allowed", mend)
}

func isSPDX(expression string) bool {
	if len(expression) > maxLicense {
		return false
	}
	ok, _ := spdxexp.ValidateLicenses([]string{expression})
	return ok
}

// maxLicenses is how many licenses that a name may mean are worth naming.
const maxLicenses = 4

// nearestLicenses returns the ids of the licenses that are meant by a name that only looks different, as "Apache 2.0" or "MIT
// License", which is certain, or leaves out what tells a few of them apart, as "GPLv3".
func nearestLicenses(name string) (ids []string, certain bool) {
	folded := foldLicense(name)
	if len(name) > maxSuggestLength || folded == "" {
		return nil, false
	}
	for _, id := range spdxlicenses.GetLicenses() {
		switch f := foldLicense(id); {
		case f == folded, f == folded+"0":
			return []string{id}, true
		case strings.HasPrefix(f, folded) && leavesOut(id, folded):
			ids = append(ids, id)
		}
	}
	if len(folded) < len("gpl2") || len(ids) > maxLicenses {
		return nil, false
	}
	return ids, false
}

// leavesOut reports whether a folded name is an id without its last parts: "gpl3" is GPL-3.0-only so, and "mitt" is no
// MIT-testregex.
func leavesOut(id, folded string) bool {
	for i, c := range id {
		if (c == '-' || c == '.') && foldLicense(id[:i]) == folded {
			return true
		}
	}
	return false
}

// oneOf lists ids of which one is to be chosen.
func oneOf(ids []string) string {
	var quoted []string
	for _, id := range ids {
		quoted = append(quoted, quote(id))
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

var licenseFolder = strings.NewReplacer("license", "", "licence", "", "version", "", "the", "", " ", "", "-", "", "_", "", ",", "", ".", "", "(", "", ")", "", "v", "")

func foldLicense(name string) string { return licenseFolder.Replace(strings.ToLower(name)) }

// licenseFamily is what licenses with the same words have in common.
type licenseFamily struct {
	name string
	ids  []string // prefixes of SPDX ids
	says string   // words that grant what these licenses do, or their title in full
}

// licenseFamilies are the families that are told apart, those whose words others contain last. Words are in lower case,
// without punctuation. A library that knows all licenses takes longer to start than judging a package does.
var licenseFamilies = []licenseFamily{
	{"the MIT license", []string{"MIT", "X11"}, "permission is hereby granted free of charge to any person obtaining a copy of this software"},
	{"the Apache License", []string{"Apache-"}, "licensed under the apache license version"},
	{"the Apache License", []string{"Apache-"}, "apache license version 2 0 january 2004"},
	{"a BSD license", []string{"BSD-", "0BSD"}, "redistribution and use in source and binary forms with or without modification are permitted"},
	{"the ISC license", []string{"ISC", "0BSD"}, "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted"},
	{"the GNU Affero General Public License", []string{"AGPL-"}, "gnu affero general public license version 3 19 november 2007"},
	{"the GNU Affero General Public License", []string{"AGPL-"}, "under the terms of the gnu affero general public license as published"},
	{"the GNU Lesser General Public License", []string{"LGPL-"}, "gnu lesser general public license version 3 29 june 2007"},
	{"the GNU Lesser General Public License", []string{"LGPL-"}, "gnu lesser general public license version 2 1 february 1999"},
	{"the GNU Lesser General Public License", []string{"LGPL-"}, "under the terms of the gnu lesser general public license as published"},
	{"the GNU General Public License", []string{"GPL-"}, "gnu general public license version 3 29 june 2007"},
	{"the GNU General Public License", []string{"GPL-"}, "gnu general public license version 2 june 1991"},
	{"the GNU General Public License", []string{"GPL-"}, "under the terms of the gnu general public license as published"},
	{"the Mozilla Public License", []string{"MPL-"}, "mozilla public license version 2 0 1 definitions"},
	{"the Mozilla Public License", []string{"MPL-"}, "subject to the terms of the mozilla public license"},
	{"the Unlicense", []string{"Unlicense"}, "this is free and unencumbered software released into the public domain"},
	{"CC0", []string{"CC0-"}, "creative commons legal code cc0 1 0 universal"},
	{"the Boost Software License", []string{"BSL-"}, "boost software license version 1 0"},
	{"the Business Source License", []string{"BUSL-"}, "business source license 1 1"},
}

// maxLicenseText bounds the LICENSE that is judged, in bytes: the longest of the licenses above has 35,000.
const maxLicenseText = 128 << 10

// judgeLicenseText warns of a LICENSE that has the words of other licenses than the declared ones, and none of theirs.
func (m *manifest) judgeLicenseText(text []byte) {
	v := m.root.Get("license")
	if !nonEmptyString(v) || len(v.Str()) > maxLicense || len(text) > maxLicenseText {
		return
	}
	declared, err := spdxexp.ExtractLicenses(v.Str())
	if err != nil || len(declared) == 0 || slices.ContainsFunc(declared, ofNoFamily) {
		return // what is no expression has been said
	}
	words := licenseWords(text)
	other := ""
	for _, f := range licenseFamilies {
		switch {
		case !strings.Contains(words, f.says):
		case slices.ContainsFunc(declared, f.has):
			return
		case other == "":
			other = f.name
		}
	}
	if other != "" {
		m.add("manifest/license-text", at(v), "the manifest says "+quote(v.Str())+", but the file "+azp.LicenseName+" holds the text of "+other+": nobody can tell what is allowed",
			fix("write the license that the text is of, or put the text of this one into %s", azp.LicenseName))
	}
}

func (f licenseFamily) has(id string) bool {
	return slices.ContainsFunc(f.ids, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}

func ofNoFamily(id string) bool {
	return !slices.ContainsFunc(licenseFamilies, func(f licenseFamily) bool { return f.has(id) })
}

// licenseWords returns the words of a text in lower case, with single spaces between them.
func licenseWords(text []byte) string {
	var out strings.Builder
	space := false
	for _, c := range text {
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
			fallthrough
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			if space && out.Len() > 0 {
				out.WriteByte(' ')
			}
			out.WriteByte(c)
			space = false
		default:
			space = true
		}
	}
	return out.String()
}
