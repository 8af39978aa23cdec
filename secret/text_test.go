package secret

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/azphalt/submissions/internal/labelled"
)

// scan returns the rules and places that Text reports.
func scan(t *testing.T, text string) []string {
	t.Helper()
	var got []string
	if err := Text(strings.NewReader(text), func(m TextMatch) {
		got = append(got, fmt.Sprintf("%d:%d-%d:%d %s", m.Line, m.Column, m.EndLine, m.EndColumn, m.Rule))
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

// Lines as repositories have them, most from the false positives that scanners were reported for.
func TestTextPassesOverWhatIsNoCredential(t *testing.T) {
	d := labelled.NewDraws(1, 2)
	for line := range strings.SplitSeq(harmlessLines, "\n") {
		if got := scan(t, d.Fill(line)); len(got) > 0 {
			t.Errorf("%s: %s", line, got)
		}
	}
}

const harmlessLines = `"accessor":"rA1wk0Y45YCufyfq",
report_access_id: e8e4df51-2054-49b0-ab1c-516ac95c691d
accessibilityYesOptionId = "0736f5ef-7e88-499a-80cc-90c85d2a5180"
this.ultraPictureBox1.Name = "ultraPictureBox1";
rapidstring:marm64-uwp=fail
event-bus-message-api:rc0.15.0_20231217_1420-SNAPSHOT'
COMMUNICATION_API_VERSION=rc0.13.0_20230412_0712-SNAPSHOT
MantleAPI_version=9a038989604e8da62ecddbe2094b16ce1b778be1
[DEBUG]		org.slf4j.slf4j-api:jar:1.7.8.:compile (version managed from default)
apiUrl=apigee.corpint.com
X-API-Name": "NRG0-Hermes-INTERNAL-API",
author = "james.fake@ymail.com",
X-MS-Exchange-Organization-AuthSource: sm02915.int.contoso.com
Authentication-Results: 5h.ca.iphmx.com
withCredentials([usernamePassword(credentialsId: '29f63271-dc2f-4734-8221-5b31b5169bac', usernameVariable: 'USERNAME', passwordVariable: 'PASSWORD')]) {
credentialsId: 'ff083f76-7804-4ef1-80e4-fe975bb9141b'
"credentialId": "B9mTcFSck2LzJO2S3ols63",
CREDENTIALS_ID = "K8S_CRED"
dev.credentials.url=dev-lb1.api.f4ke.com:5215
keyword: "Befaehigung_P2"
public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"
pub const X509_pubkey_st = struct_X509_pubkey_st;
|| pIdxKey->default_rc==0
primaryKey=«u64:30»
foreignKey=«u64:30»
key_down_event=«u64:30»
issuerKeyHash=«u64:30»
<entry key="jetbrains.mps.v8_elimination" value="executed" />
IceSSL.KeyFile=s_rsa1024_priv.pem
"bucket_key": "SalesResults-1.2"
<key tag="SecurityIdentifier" name="SecurityIdentifier" type="STRING" />
schemaKey = 'DOC_Vector_5_32'
sequenceKey = "18"
app.keystore.file=env/cert.p12
-DKEYTAB_FILE=/tmp/app.keytab
doc.Security.KeySize = PdfEncryptionKeySize.Key128Bit;
o.keySelector=n,o.haKey=!1,
"key_name": "prod5zyxlmy-cmk",
"kms_key_id": "555ea4a3-d53a-4412-9c66-3a7cb667b0d6",
"key_vault_name": "web21prqodx24021",
keyVaultToStoreSecrets: cmp2-qat-1208358310
const validKeyChars = "0123456789abcdefghijklmnopqrstuvwxyz_-."
const keyStr = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
key_length = XSalsa20.key_length
pub const SN_id_Gost28147_89_None_KeyMeshing = "id-Gost28147-89-None-KeyMeshing"
KeyPair = X25519.KeyPair
BlindKeySignatures = Ed25519.BlindKeySignatures
AVEncVideoMaxKeyframeDistance, "2987123a-ba93-4704-b489-ec1e5f25292c"
keyPressed = kVK_Return.u16
password combination.
PuttyPassword=0
LLM_SECRET_NAME = "NEXUS-GPT4-API-KEY"
<UserSecretsId>79a3edd0-2092-40a2-a04d-dcb46d5ca9ed</UserSecretsId>
secret_length = X25519.secret_length
secretSize must be >= XXH3_SECRET_SIZE_MIN
#RUN --mount=type=secret,id=jfrog_secret     JFROG_SECRET = $(cat /run/secrets/jfrog_secret) && \
access_token_url='https://github.com/login/oauth/access_token',
<SourceFile SourceLocation="F:\Extracts\" TokenFile="RTL_INST_CODE.cer">
notes            = "Maven - io.jsonwebtoken:jjwt-jackson-0.11.2"
clientId = "73082700-1f09-405b-80d0-3131bfd6272d"
GITHUB_API_KEY=
snowflake.password=
import { chain_Anvil1_Key, chain_Anvil2_Key } from '../blockchain-tests/pallets/supported-chains/consts';
SRCREV_moby = "43fc912ef59a83054ea7f6706df4d53a7dea4d80"
LIC_FILES_CHKSUM = "file://${WORKDIR}/license.html;md5=5c94767cedb5d6987c902ac850ded2c6"
export API_KEY=your-api-key
export API_KEY="$(op read op://vault/item/field)"
API_KEY=${API_KEY:?set it}
PASSWORD=$1
token = getToken()
password = os.environ["DB_PASSWORD"]
const apiKey = process.env.API_KEY;
const { token, secret } = await getCredentials(config.password, options.apiKeyName);
let token: Option<String> = None;
func Login(ctx context.Context, user, password string) (*Session, error) {
if password == "" || len(token) < minTokenLength {
curl -H "Authorization: Bearer $TOKEN" https://api.acme.dev/v1
curl -H "Authorization: Bearer <token>" -u "user:pass" https://api.acme.dev/v1
Authorization: Basic base64(user:password)
  api_key: YOUR_API_KEY
  password: ${{ secrets.DB_PASSWORD }}
- password: "{{ vault_db_password }}"
postgres://user:password@localhost:5432/db
postgres://$USER:$PASS@localhost/db
Set ` + "`Authorization: Bearer <your token>`" + ` and ` + "`X-Api-Key`" + `, then call the endpoint.
The token must be kept secret; see the password policy (section 4.2) for the key length.
"integrity": "sha512-«s64:86»==",
golang.org/x/sys v0.30.0 h1:«s64:43»=
github.com/acme/app@sha256:«h:64»
"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#«h:40»"
"commit": "«h:40»", "etag": "«h:32»", "nonce": "«uuid»"
src: url(data:font/woff2;base64,«s64:900»)
<img src="data:image/png;base64,«s64:300»=">
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==
-----BEGIN CERTIFICATE-----
«s64:64»
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
...
-----END PRIVATE KEY-----
Paste the block from -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY----- here.
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ«s64:300» me@host
https://docs.google.com/document/d/«u64:44»/edit
`

func TestTextFindsCredentials(t *testing.T) {
	d := labelled.NewDraws(3, 4)
	for _, c := range []struct{ line, want string }{
		{`export GITHUB_TOKEN=ghp_«b62:36»`, "1:21-1:61 secret/text"},
		{`DB_PASSWORD=hunter2`, "1:13-1:20 secret/text"},
		{`DB_PASSWORD="hunter2"`, "1:14-1:21 secret/text"},
		{`ENV API_KEY=«b62:32»`, "1:13-1:45 secret/text"},
		{`  apiKey: "«b62:32»",`, "1:12-1:44 secret/text"},
		{`client = Client(api_key='«b62:32»')`, "1:26-1:58 secret/text"},
		{`const token = "«h:40»";`, "1:16-1:56 secret/text"},
		{`x := "ghp_«b62:36»"`, "1:7-1:47 secret/text"},
		{`headers = {"Authorization": "Bearer «b62:40»"}`, "1:37-1:77 secret/header"},
		{`curl -H "Authorization: Bearer «b62:40»" https://api.acme.dev`, "1:32-1:72 secret/header"},
		{`curl -H 'X-Api-Key: «b62:40»'`, "1:21-1:61 secret/text"},
		{`tool --token «b62:40» run`, "1:14-1:54 secret/text"},
		{`tool --password=Frosty-9x-Kettle4`, "1:17-1:34 secret/text"},
		{`DATABASE_URL=postgres://svc:Blue-Whale-7@db/app`, "1:29-1:41 secret/connection-string"},
		{`see https://svc:Blue-Whale-7@acme.dev/path.`, "1:17-1:29 secret/url"},
		{`[hook](https://hooks.slack.com/services/T«u:9»/B«u:9»/«b62:24»)`, "1:63-1:87 secret/url"},
		{`Server=db;User Id=svc;Password=«b62:14»;`, "1:32-1:46 secret/text"},
		{`{"text":"say \"token\": \"ghp_«b62:36»\""}`, "1:27-1:67 secret/text"},
		{"\tä = \"ghp_«b62:36»\"", "1:7-1:47 secret/text"},
		{"a\r\nb\r\nGH_TOKEN=ghp_«b62:36»\r\n", "3:10-3:50 secret/text"},
		{"-----BEGIN RSA PRIVATE KEY-----\n«s64:64»\n«s64:40»\n-----END RSA PRIVATE KEY-----\n", "1:1-4:30 secret/private-key"},
		{"  # -----BEGIN PRIVATE KEY-----\n  # «s64:64»\n  # -----END PRIVATE KEY-----", "1:5-3:30 secret/private-key"},
		{"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n«s64:64»", "1:1-4:65 secret/private-key"},
		{`key = "-----BEGIN PRIVATE KEY-----\n«s64:64»\n-----END PRIVATE KEY-----\n"`, "1:8-1:128 secret/private-key"},
	} {
		got := scan(t, d.Fill(c.line))
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: got %v, want %s", c.line, got, c.want)
		}
	}
}

func TestTextSeesTokensAcrossPiecesOfLongLines(t *testing.T) {
	token := labelled.NewDraws(5, 6).Fill("ghp_«b62:36»")
	for _, before := range []int{0, maxPiece - 60, maxPiece - 20, maxPiece, 3*maxPiece - 7, 3*maxPiece + 1} {
		line := strings.Repeat("x", before) + " ü " + token + " " + strings.Repeat("y ", maxPiece)
		want := fmt.Sprintf("1:%d-1:%d secret/text", before+4, before+44)
		if got := scan(t, line); len(got) != 1 || got[0] != want {
			t.Errorf("%d bytes before: %v, want %s", before, got, want)
		}
	}
}

func TestTextOffsetsSpanTheCredential(t *testing.T) {
	token := labelled.NewDraws(7, 8).Fill("ghp_«b62:36»")
	text := "# ünï\nA=1\nTOKEN=" + token + "\n"
	err := Text(iotest.OneByteReader(strings.NewReader(text)), func(m TextMatch) {
		if text[m.Start:m.End] != token {
			t.Error("the span is not that of the token")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTextReturnsTheErrorOfTheReader(t *testing.T) {
	broken := errors.New("broken")
	if err := Text(iotest.ErrReader(broken), func(TextMatch) {}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestProseIsTold(t *testing.T) {
	for _, line := range []string{"", "THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY", "(c) 2026 the authors' well-kept and/or other work."} {
		if !isProse(line) {
			t.Errorf("%q is none", line)
		}
	}
	for _, line := range []string{"password: hunter", "a=b", "-p hunter", "abcdefghijklmnop", "x9", "12345", "Straße", "user@host", "a_b", "'x'", "/x"} {
		if isProse(line) {
			t.Errorf("%q is prose", line)
		}
	}
}
