package registry

import "slices"

// Relation is how the publisher of a package stands to the one that its id belongs to (the format, section 3).
type Relation int

// The relations.
const (
	Newcomer       Relation = iota // the id belongs to nobody yet
	SameKey                        // signed by the key that it belongs to
	Vouched                        // signed by another key, for which the one that it belongs to vouches
	SameAccount                    // not signed, and from the account that it belongs to
	OtherAccount                   // not signed, and from another account
	Unsigned                       // not signed, though it belongs to a key
	OtherPublisher                 // signed by a key that has nothing to do with it
)

// Author is who stands behind a package.
type Author struct {
	PublicKey string   // of the signer; "" where it is not signed
	Chain     []string // public keys that vouch for the signer's, each for the one before it
	GitHubID  int64    // of the account that submits it; 0 where that is not known
}

// Relate compares an author with the owner of an id, nil where it has none. It is the one place where that is decided.
func Relate(owner *Owner, author Author) Relation {
	switch {
	case owner == nil:
		return Newcomer
	case author.PublicKey == "" && owner.PublicKey != "":
		return Unsigned
	case author.PublicKey == "" && owner.GitHubID != 0 && owner.GitHubID == author.GitHubID:
		return SameAccount
	case author.PublicKey == "":
		return OtherAccount
	case owner.PublicKey == author.PublicKey:
		return SameKey
	case owner.PublicKey != "" && slices.Contains(author.Chain, owner.PublicKey):
		return Vouched
	default:
		return OtherPublisher
	}
}
