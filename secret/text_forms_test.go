package secret

import (
	"testing"

	"github.com/azphalt/submissions/internal/labelled"
)

// What programs call for credentials by, or keep them in: each is found, and one of them only.
func TestTextKnowsFormsOfSettings(t *testing.T) {
	for i, text := range []string{
		"machine api.acme.dev login svc password Blue7Kite!",
		"machine api.acme.dev\n  login svc\n  password Blue7Kite!\n",
		"db.acme.dev:5432:app:svc:s9Fq2LmZ",
		"//npm.acme.dev/:_authToken=«uuid»",
		"[acme]\nrepository: https://pypi.acme.dev\nusername: svc\npassword: Kestrel41moss\n",
		`{"auths":{"ghcr.io":{"auth":"«base64:svc:[b62:20]»"}}}`,
		"aws_secret_access_key = «s64:40»",
		"aws configure set aws_secret_access_key «s64:40»",
		"define('DB_PASSWORD', 'Kestrel41moss');",
		`key = os.getenv("ACME_API_KEY", "«b62:32»")`,
		"    'password' => 'Blue7Kite!',",
		"  - password: \"qW8#vn2L\"",
		"spring.datasource.password=Kestrel41moss",
		"$env:API_KEY = \"«b62:32»\"",
		"$password = 'Harbor!Lamp83'",
		`$s = ConvertTo-SecureString "Harbor!Lamp83" -AsPlainText -Force`,
		"ENV DB_PASSWORD Gx72kqpL",
		"set -x ACME_TOKEN «h:40»",
		"#define API_KEY \"«h:32»\"",
		"curl -u admin:Gx72kqpL https://api.acme.dev/v1",
		"curl -uadmin:Gx72kqpL https://api.acme.dev/v1",
		"curl --user=admin:Gx72kqpL https://api.acme.dev/v1",
		"sshpass -p 'Kestrel41moss' ssh svc@host",
		"docker login -u svc -p «b62:24» registry.acme.dev",
		"helm install x y --set auth.password=velvet-otter-52",
		"kubectl create secret generic s --from-literal=password=Blue7Kite!",
		"CREATE USER 'svc'@'%' IDENTIFIED BY 'Harbor!Lamp83';",
		"ALTER ROLE svc PASSWORD 'Kestrel41moss';",
		"const API_KEY: &str = \"«b62:32»\";",
		"api_key: str = \"«b62:32»\"",
		"conn = connect(host=\"db\", password=\"Blue7Kite!\")",
		`dsn = "host=db user=svc password=velvet-otter-52 dbname=app"`,
		`"Db": "Server=db;User Id=svc;Password=qW8#vn2L;"`,
		`dsn = "svc/Gx72kqpL@//ora.acme.dev:1521/ORCL"`,
		"jdbc:oracle:thin:svc/Gx72kqpL@ora.acme.dev:1521:ORCL",
		"<server><username>svc</username><password>Gx72kqpL</password></server>",
		`<add key="ApiKey" value="«h:32»" />`,
		"<key>apiKey</key>\n<string>«b62:32»</string>",
		`{"name":"ACME_API_KEY","value":"«h:32»"}`,
		"- name: DB_PASSWORD\n  value: qW8#vn2L\n",
		"`curl -H \"api-key: «h:32»\" https://api.acme.dev`",
		"PrivateKey = «s64:43»=",
		"k = (\"-----BEGIN PRIVATE KEY-----\\n\"\n     \"«s64:64»\\n\"\n     \"«s64:64»\\n\"\n     \"-----END PRIVATE KEY-----\\n\")",
		"const k = '-----BEGIN RSA PRIVATE KEY-----' + '\\n' +\n  '«s64:64»' + '\\n' +\n  '-----END RSA PRIVATE KEY-----';",
		"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n«s64:64»\n«s64:64»\nPrivate-MAC: «h:40»\n",
		"-----BEGIN OpenVPN Static key V1-----\n«h:32»\n«h:32»\n-----END OpenVPN Static key V1-----\n",
		"FCM = \"AAAA«u64:7»:APA91b«u64:134»\"",
	} {
		for round := range uint64(rounds) {
			if got := scan(t, labelled.NewDraws(round, uint64(i)).Fill(text)); len(got) != 1 {
				t.Errorf("%s: got %v", text, got)
				break
			}
		}
	}
}

// The same forms with what is no credential, or says itself that it is none.
func TestTextPassesOverFormsWithoutCredentials(t *testing.T) {
	for i, text := range []string{
		"machine api.acme.dev login svc password your-password",
		"main.go:12:3:error:Blue7Kite",
		"registry.acme.dev:5000/app:v1:x",
		"SAE_PASSWORD = C.NL80211_ATTR_SAE_PASSWORD",
		"password_encryption = scram-sha-256",
		"const password = newPassword2;",
		"password: hash256Result,",
		"password = user2.password",
		"pIdxKey = _sqlite3VdbeAllocUnpackedRecord(tls, cur)",
		"testParam(t, &Param{Key: SVCParamNoDefaultALPN, Value: []byte{}})",
		`"password": "Must have 8 characters or more",`,
		"<password>your-password</password>",
		"<password type=\"text\">",
		"define('DB_PASSWORD', 'password');",
		`os.getenv("DB_PASSWORD", "postgres")`,
		"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: app\n",
		"- name: DB_PASSWORD\n  value: $(DB_PASSWORD)\n",
		`{"name":"LOG_LEVEL","value":"«h:32»"}`,
		"docker run -p 127.0.0.1:8080:80 -u 1000:1000 acme/app",
		"git log -p «h:40»..main",
		"uses: actions/checkout@v4",
		"npm install @acme/app@1.2.3",
		"curl -uadmin:password https://api.acme.dev/v1",
		"ENV DB_PASSWORD changeme",
		"CREATE USER svc WITH PASSWORD 'password';",
	} {
		for round := range uint64(rounds) {
			if got := scan(t, labelled.NewDraws(round, uint64(i)).Fill(text)); len(got) != 0 {
				t.Errorf("%s: got %v", text, got)
				break
			}
		}
	}
}
