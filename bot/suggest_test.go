package bot_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/azphalt/submissions/bot"
	"github.com/azphalt/submissions/internal/githubsim"
)

// faulty is a manifest that names a version of the format which does not exist, for which there is a mend.
func faulty(version string) string {
	return strings.Replace(manifest(id, version), `"azphalt": "0.1"`, `"azphalt": "0.9"`, 1)
}

func TestMendsAreSuggestedOnceForAHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	p, _ := w.lint(source, faulty("1.0.0"))
	w.decided(p, bot.NoMerge, bot.CodeErrors)
	p.Comment("maintainer", string(bot.Recheck))
	w.settle()
	list := p.State().ReviewComments
	if len(list) != 1 || list[0].Path != source+"manifest.json" || list[0].Line != 2 || !strings.Contains(list[0].Body, "```suggestion\n  \"azphalt\": \"0.1\",\n```") {
		t.Errorf("%d comments: %+v", len(list), list)
	}
}

// TestAnArchiveHasACommentOfItsOwn follows an archive whose faults stay, change and go.
func TestAnArchiveHasACommentOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, enabled)
	pack := func(manifest string) githubsim.Change {
		data := packFolder(t, fstest.MapFS{"manifest.json": {Data: []byte(manifest)}, "LICENSE": {Data: []byte("MIT\n")}}, w.author)
		return githubsim.Change{Files: githubsim.Files{packagePath(id, "1.0.0"): string(data)}}
	}
	w.repo.Commit("add", pack(faulty("1.0.0")))
	p := w.repo.OpenPR(githubsim.PROptions{HeadBranch: "add", Author: "contributor"})
	told := func(rule string) githubsim.ReviewComment {
		t.Helper()
		w.decided(p, bot.NoMerge, bot.CodeErrors)
		list := p.State().ReviewComments
		if len(list) != 1 || list[0].Line != 0 || list[0].Path != packagePath(id, "1.0.0") || !strings.Contains(list[0].Body, rule) {
			t.Fatalf("%d comments: %+v", len(list), list)
		}
		return list[0]
	}
	first := told("format-version")
	if !strings.Contains(first.Body, `"azphalt": "0.9"`) {
		t.Errorf("no excerpt:\n%s", first.Body)
	}
	p.Push(githubsim.Change{Files: githubsim.Files{"submissions/" + id + "/NOTES.md": "notes\n"}})
	if again := told("format-version"); again.Body != first.Body || again.CommitID != first.CommitID {
		t.Error("the same was said anew for another head")
	}
	p.Push(pack(strings.Replace(faulty("1.0.0"), `"compat": ">=0.1"`, `"compat": "no range"`, 1)))
	if changed := told("compat"); changed.ID != first.ID {
		t.Error("what is found now was not said in the comment that was there")
	}
	p.Comment("maintainer", string(bot.Recheck))
	told("compat")
}
