package githubsim

// PRState is a pull request as a test sees it.
type PRState struct {
	Number               int
	Title, Body          string
	Open, Draft, Merged  bool
	MergeCommit          string // once merged
	MergedBy             string
	HeadRepo             string // empty once deleted
	HeadBranch, HeadSHA  string
	BaseBranch           string
	Labels               []string
	Reviews              []Review
	Comments             []Comment
	ReviewComments       []ReviewComment
	Mergeable            bool // without conflict; worked out at once, whatever reads through the API still answer
	MergeableState       string
	ChangedFiles         int
	CommitsAhead, Behind int
}

// State returns what has become of the pull request.
func (p *PR) State() PRState {
	s := p.sim()
	s.mu.Lock()
	defer s.mu.Unlock()
	rel, err := p.relation()
	s.must(err)
	changes, err := p.changes()
	s.must(err)
	m, err := p.mergeability()
	s.must(err)
	state := PRState{
		Number: p.Number, Title: p.title, Body: p.body, Open: p.open, Draft: p.draft, Merged: p.merged, MergeCommit: p.mergeCommit,
		HeadBranch: p.head.ref, HeadSHA: p.head.sha, BaseBranch: p.base.ref, Mergeable: m.clean, MergeableState: m.state,
		ChangedFiles: len(changes), CommitsAhead: len(rel.ahead), Behind: rel.behind,
	}
	if p.mergedBy != nil {
		state.MergedBy = p.mergedBy.login
	}
	if p.head.repo != nil {
		state.HeadRepo = p.head.repo.FullName()
	}
	for _, l := range p.labels {
		state.Labels = append(state.Labels, l.name)
	}
	for _, v := range p.reviews {
		state.Reviews = append(state.Reviews, v.Review)
	}
	for _, c := range p.comments {
		state.Comments = append(state.Comments, c.Comment)
	}
	for _, c := range p.reviewComments {
		state.ReviewComments = append(state.ReviewComments, c.ReviewComment)
	}
	return state
}
