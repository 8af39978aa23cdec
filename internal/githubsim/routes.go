package githubsim

import "slices"

// routes lists every endpoint. Of two that fit a path the earlier counts, so the catch-all of commits comes last.
func routes() []*route {
	return slices.Concat(
		userRoutes(), appRoutes(), repoRoutes(), refRoutes(), gitDataRoutes(), gitCommitRoutes(), pullRoutes(), issueRoutes(),
		checkRoutes(), statusRoutes(), branchRoutes(), mergeRoutes(), commitRoutes(),
		[]*route{{method: "GET", path: "/repos/{owner}/{repo}/commits/{ref}", access: reads("contents"), handle: getCommit}},
	)
}
