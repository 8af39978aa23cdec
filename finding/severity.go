package finding

import "fmt"

// Severity says what a finding does to the verdict. The zero value is Off: a rule with that severity is silent.
type Severity uint8

// The severities, mildest first.
const (
	Off     Severity = iota // not reported
	Notice                  // worth knowing; never fails anything
	Warning                 // should be mended; fails only where the caller asks for it
	Error                   // forbidden; the package does not pass
)

var severityNames = [...]string{Off: "off", Notice: "notice", Warning: "warning", Error: "error"}

// String returns the severity's name as reports and configuration files spell it.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// ParseSeverity is the inverse of String.
func ParseSeverity(name string) (Severity, error) {
	for s, n := range severityNames {
		if n == name {
			return Severity(s), nil
		}
	}
	return Off, fmt.Errorf("unknown severity %q: want error, warning, notice or off", name)
}

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Severity) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSeverity(string(text))
	return err
}
