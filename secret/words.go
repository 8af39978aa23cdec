package secret

import (
	"strings"
	"sync"
)

// class says what a word contributes to the meaning of a name or a value. A word may be several things.
type class uint16

const (
	password class = 1 << iota // a secret that a person chooses: "password", "passphrase"
	token                      // a secret that a machine issues: "token", "secret", "apikey"
	key                        // "key", which means much or nothing by the word before it
	weak                       // mostly a secret, sometimes something else: "auth", "jwt", "sig"
	issuing                    // makes a key after it a secret: "api key", "access key"
	public                     // makes a key after it none: "public key", "cache key"
	about                      // says something about a secret, not the secret: "token url", "key id"
	amount                     // makes tokens a quantity: "max tokens", "cost per token"
	modal                      // at the start, makes the name a switch: "use token"
	tail                       // may follow the word that counts: "key prod", "token value"
	standIn                    // where such a word stands in a value, the value stands for another one
	filler                     // means nothing by itself; a value of nothing but such words is a stand-in
	prose                      // belongs to sentences
	thing                      // is called by an id, which looks like a key: "zone", "subscription"
)

// words classes the vocabulary of names and stand-ins. A word that is missing means nothing to us.
var words = sync.OnceValue(func() map[string]class {
	m := make(map[string]class, 512)
	for _, list := range []struct {
		class class
		words string
	}{
		{password | filler, `
			password passwords passwd pwd pass passphrase passcode pw pgpass userpass dbpass mypass rootpass sqlpass
			smtppass mnemonic psk contrasena passwort kennwort senha wachtwoord haslo sifre parola motdepasse`},
		{token | filler, `
			token secret bearer authorization totp credential credentials creds apikey apikeys authtoken accesstoken
			accesskey secretkey privatekey authkey appkey userkey servicekey clientkey pat`},
		{weak | filler, "auth jwt session sessionid sid tokens secrets otp hmac salt pepper cookie cookies login signer oauth"},
		{key | filler, "key keys"},
		{issuing, `
			api access secret private auth signing sign encryption encrypt crypt cipher service account master
			shared license licence admin app application client consumer integration deploy session subscription
			function storage role webhook hmac bot developer dev write read ingest ingestion personal security root
			install`},
		{public, `
			public publishable publish pub gpg pgp host hosts file document doc anon anonymous site cache partition
			primary foreign sort hot object routing row map index group issue project board space config lookup
			message metric event shortcut range composite unique business surrogate translation locale registry
			idempotency dedupe measurement arrow enter tab bucket job queue topic dictionary dict setting settings
			item`},
		{about, `
			tx txid transaction doc docs video playlist board boards parent root article post issue authority
			sitekey pubkey pubkeys publickey publishablekey hostkey keyid kid
			name names path paths file files filename dir directory folder url urls uri uris endpoint host hostname
			port id ids arn type types kind prefix suffix length len size ttl timeout expiry expires expiration exp
			lifetime duration interval age version format algorithm alg algo mode enabled disabled required optional
			header headers field param parameter location loc ref region bits rotation policy provider store space
			server issuer audience aud scope scopes claim claims method strategy style model layout binding bindings
			chord patch usage source src label title description hint help regex pattern template env var variable
			option options manager vault backend chain ring pair index table column schema user username email check
			validation digest hash sha checksum integrity fingerprint thumbprint serial uuid guid commit revision
			release build tag date time status state level realm domain tenant project workspace organization
			organisation org team owner repo repository database bucket channel sheet spreadsheet document page
			database collection namespace address contract wallet image package module command args description
			homepage stdin prompt ask helper handler loader alias sig signature calendar form survey drive thread
			view widget graph node device instance cluster zone vpc subnet deployment environment stack pipeline
			workflow run job agent assistant voice avatar flow campaign segment customer account member group
			encryption encoding encoder hashing profile distribution product price plan symbol mint decimals supply standard`},
		{amount, `
			max min num number per limit count total budget cost price rate avg average speculative special pad eos
			bos stop mask unk cls sep quota`},
		{modal, `
			use no with enable disable allow require skip show print validate verify rotate generate create has is
			list get force ignore`},
		{tail, `
			prod production dev development staging stage test testing live local default primary secondary main old
			new current next value val base plain raw encoded text str string`},
		{standIn, `
			your yours youre example placeholder change changeme changeit replace replaceme insert enter paste put
			todo fixme tbd redacted masked hidden dummy sample fill setme fillme
			votre deine deinen vostro jouw aqui remplacez ersetzen reemplazar cambiar cambiame substituir inserisci`},
		{filler, `
			my the a an in of to for from with here goes me it this and or if is be api access client personal auth
			user username admin root guest test testing tests demo default local dev prod foo bar baz qux abc xyz
			xxx xx x n na none null nil undefined empty unset unknown some any new old value string str text secure
			super private public real actual valid long random strong complex very good safe not needed used
			required applicable key id app application service server bot account organization org project url host
			name number num postgres postgresql mysql mariadb mongo mongodb redis neo mssql sqlserver oracle sa
			elastic elasticsearch minio minioadmin rabbitmq rabbit clickhouse grafana kibana jenkins airflow
			superset supabase keycloak kafka nats influx influxdb cassandra couchdb couchbase arangodb weaviate
			qdrant milvus chroma memgraph falkordb surrealdb timescale cockroach opensearch docker database db sql
			hello world welcome letmein demodemo qwerty qwertyuiop asdf asdfgh iloveyou monkey dragon pgpass mcp sse
			http ai llm set via env environment variable vars config configured console dashboard settings portal
			clave claves llave cle schluessel chave chiave sleutel klucz anahtar secreto segredo geheim geheimnis
			tu tus su sus vos ton dein ihr ihre sua seu teu tua tuo uw twoj ici hier qui
			mot passe de la le el il das der die mi mon mein minha meu mio mia acceso acces zugang acesso pin psk
			sk pk rk ak ghp gho glpat xoxb xoxp hf gsk tvly fc pplx figd ntn nvapi whsec
			wordpress drupal joomla magento odoo moodle nextcloud gitea strapi directus sonar sonarqube metabase redash zabbix
			nagios graylog portainer pihole tomcat jboss wildfly hasura appwrite ghost vagrant ubuntu raspberry`},
		{thing, `
			installation machine guild datasource connector catalog catalogue course lesson block blockhash genesis
			peer validator epoch trace span request correlation nonce etag seed entity record ticket order invoice
			asset contact company person employee sensor camera room home place station route trip match game player
			tree leaf network pool farm portfolio feed sink target origin child leader sender recipient receiver
			buyer seller merchant shop terminal payment charge refund payout transfer balance ledger entry partner
			reseller vendor supplier brand category section chapter note notebook task story sprint epic milestone
			branch artifact blob layer shard replica tablet cursor offset marker checkpoint snapshot backup volume
			disk mount lock lease barrier mailbox inbox mail comment reply like reaction poll vote quiz answer
			question meeting booking reservation seat hotel flight car vehicle driver rider passenger patient doctor
			visit study series experiment trial dataset corpus knowledge memory persona character tile area border
			squad crew visitor lead deal funnel goal alert incident monitor probe suite case step phase round batch
			shipment parcel carrier proto boot cid did pid uid gid rid tid wid oid puid uuids refs rev head
			entrypoint handle slug context scene clip track album artist genre episode season movie film book author
			publisher edition line cell fund stock ticker bond coin currency`},
		{prose, `
			your the from get see set obtain obtained generate generated leave blank optional required use used
			using ask where which for to in at on of a an if is are or and with can will must should via this that
			when not only it`},
	} {
		for w := range strings.FieldsSeq(list.words) {
			m[w] |= list.class
		}
	}
	return m
})

// compounds are endings that mean a credential in a word written together, such as "githubtoken".
var compounds = []struct {
	ending string
	class  class
}{
	{"password", password}, {"passwd", password}, {"passphrase", password}, {"token", token}, {"secret", token},
	{"apikey", token}, {"accesskey", token}, {"secretkey", token}, {"privatekey", token}, {"authkey", token},
	{"sharedkey", token}, {"accountkey", token}, {"signingkey", token}, {"masterkey", token}, {"credential", token}, {"credentials", token},
}

// maxWords and maxWordBytes bound what is read of a text when it is split into words.
const (
	maxWords     = 48
	maxWordBytes = 256
)

// wordList is a text split into words of one kind of letter or digit, in lower case. It lives on the stack.
type wordList struct {
	buf  [maxWordBytes]byte
	ends [maxWords][2]uint16
	n    int
	// whole says that the text ended before the limits did.
	whole bool
}

// split fills l with the words of s: maximal runs of letters or of digits, cut where lower case turns to upper case
// ("apiKey") and before the last letter of capitals that lower case follows ("APIKey"). Case is folded for ASCII.
func (l *wordList) split(s string) {
	l.n = 0
	l.whole = len(s) <= maxWordBytes
	s = s[:min(len(s), maxWordBytes)]
	start := -1
	for i := 0; i <= len(s); i++ {
		var kind byte
		if i < len(s) {
			kind = kindOf[s[i]]
			l.buf[i] = fold(s[i])
		}
		if start >= 0 && (kind == other || cut(s, start, i)) {
			if l.n == maxWords {
				l.whole = false
				return
			}
			l.ends[l.n] = [2]uint16{uint16(start), uint16(i)}
			l.n++
			start = -1
		}
		if start < 0 && kind != other {
			start = i
		}
	}
}

// cut reports whether a new word starts at s[i] within a run of letters and digits that started at start.
func cut(s string, start, i int) bool {
	if i == len(s) {
		return true
	}
	before, here := kindOf[s[i-1]], kindOf[s[i]]
	switch {
	case before == digit || here == digit:
		return before != here
	case here == upper:
		return before == lower || i-1 > start && i+1 < len(s) && kindOf[s[i+1]] == lower && before == upper
	}
	return false
}

// word returns the i-th word.
func (l *wordList) word(i int) []byte { return l.buf[l.ends[i][0]:l.ends[i][1]] }

// class returns the classes of the i-th word.
func (l *wordList) class(i int) class {
	w := l.word(i)
	if c, ok := words()[string(w)]; ok {
		return c
	}
	if len(w) > 5 {
		for _, c := range compounds {
			if len(w) > len(c.ending) && string(w[len(w)-len(c.ending):]) == c.ending {
				return c.class
			}
		}
	}
	return 0
}

// digits reports whether the i-th word is a number.
func (l *wordList) digits(i int) bool { return kindOf[l.buf[l.ends[i][0]]] == digit }

// has reports whether w is one of the words.
func (l *wordList) has(w []byte) bool {
	for i := range l.n {
		if string(l.word(i)) == string(w) {
			return true
		}
	}
	return false
}

// The kinds of bytes, as far as words and tokens are concerned.
const (
	other byte = iota
	lower
	upper
	digit
)

var kindOf = func() (t [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c] = lower
	}
	for c := byte('A'); c <= 'Z'; c++ {
		t[c] = upper
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = digit
	}
	return t
}()

func fold(c byte) byte {
	if kindOf[c] == upper {
		return c + 'a' - 'A'
	}
	return c
}
