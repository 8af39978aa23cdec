package doctor

import (
	"fmt"

	"github.com/azphalt/submissions/check"
	"github.com/azphalt/submissions/internal/config"
)

// judgeConfig judges the configuration as the bot does.
func (e *examination) judgeConfig(data []byte) error {
	c, findings := config.Parse(config.Path, data, check.Rules())
	for _, f := range findings {
		mend := "Mend the file; until then none of it counts, and nothing is merged."
		if f.Fix != nil && f.Fix.Description != "" {
			mend = fmt.Sprintf("Here: %s. Until then none of the file counts, and nothing is merged.", f.Fix.Description)
		}
		e.add(Fault, fmt.Sprintf("%s, line %d: %s", config.Path, f.Line, f.Message), mend)
	}
	if len(findings) > 0 {
		return nil
	}
	e.config = c
	if c.Merge.Enabled {
		e.add(Good, fmt.Sprintf("%s is valid; the bot merges by the strategy %s.", config.Path, c.Merge.Strategy), "")
	} else {
		e.add(Note, config.Path+" is valid, but does not let the bot merge.", "To have it merge, set `merge.enabled: true`.")
	}
	return nil
}
