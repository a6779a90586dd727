"""Each rule of the scanner with what it finds and what only looks like it."""

import base64
import string

import pytest

from mi.kernel.secret_lines import LineRedactor
from mi.kernel.secrets import find_secrets, redact
from tests.kernel.test_secrets import BASE64, HEX, PASSWORD, PEM, URLSAFE, fake

TOKEN = fake(40)
ENCODED = base64.b64encode(f"ghp_{fake(36)}".encode()).decode()
KEY_DATA = base64.b64encode(PEM.encode()).decode()
AIRTABLE = f"pat{fake(14)}.{fake(64, HEX)}"
# name of the rule: (what holds a secret, the secret), (what looks like it)
RULES: dict[str, tuple[tuple[str, str], str]] = {
    "netlify": ((f"use nfp_{fake(36)} now", f"nfp_{fake(36)}"), "nfp_is_the_name_of_the_function_that_fetches"),
    "planetscale": ((f"pscale_tkn_{fake(43, URLSAFE)}", fake(43, URLSAFE)), "pscale_oauth_is_not_set_here"),
    "planetscale password": ((f"pscale_pw_{fake(43, URLSAFE)}", fake(43, URLSAFE)), "pscale_password = ask()"),
    "fly": ((f"FlyV1 fm2_{fake(80, BASE64)}==", fake(80, BASE64)), "fm2_modulation(carrier, depth)"),
    "fly personal": ((f"fo1_{fake(43, URLSAFE)}", fake(43, URLSAFE)), "fo1_forward = 3"),
    "sentry organisation": ((f"sntrys_eyJ{fake(60)}_{fake(43)}", fake(60)), "sntrys_eyJ is how they begin"),
    "sentry user": ((f"sntryu_{fake(64, HEX)}", fake(64, HEX)), "sntryu_ and sixty-four digits"),
    "airtable": ((f"key is {AIRTABLE}.", AIRTABLE), f"path.{fake(64, HEX)} patterns.{fake(64, HEX)}"),
    "token as user": ((f"git clone https://{TOKEN}@host/x.git", TOKEN), "https://someones-long-user-name@host/x.git"),
    "token before a fixed password": (
        (f"https://{TOKEN}:x-oauth-basic@github.com/a/b", TOKEN),
        "https://git@github.com/a/b https://user@host:8080/",
    ),
    "netrc": (
        (f"machine api.x.org login me password {PASSWORD}", PASSWORD),
        "the machine asks for login name and password fields",
    ),
    "netrc over lines": (
        (f"machine api.x.org\n  login me\n  password {PASSWORD}\n", PASSWORD),
        "machine learning\nlogin\npassword\n",
    ),
    "netrc default": ((f"default login me password {PASSWORD}", PASSWORD), "the default login and password fields"),
    "mysql": ((f"mysql -u root -p{PASSWORD} app", PASSWORD), "mysql -u root -p app"),
    "mysqldump quoted": ((f"mysqldump -uroot '-p{PASSWORD}' app", PASSWORD), "mysqldump -P 3306 --port=3306 app"),
    "mysql in a list": ((f'["mysql", "-uroot", "-p{PASSWORD}"]', PASSWORD), "docker run mysql -p3306:3306"),
    "mariadb": ((f"mariadb -p'{PASSWORD}' app", PASSWORD), "mkdir -p mariadb/data"),
    "sshpass": ((f"sshpass -p {PASSWORD} ssh me@host", PASSWORD), "sshpass -e ssh -p 2222 me@host"),
    "sshpass quoted": (("sshpass -p 'two words1' ssh x", "two words1"), 'sshpass -p "$SSHPASS" ssh me@host'),
    "docker login": ((f"docker login -u me -p {PASSWORD} r.io", PASSWORD), "docker login -u me --password-stdin r.io"),
    "podman login": ((f"podman login -p={PASSWORD} r.io", PASSWORD), "docker run -p 8080:80 x && docker login r.io"),
    "redis-cli": ((f"redis-cli -h x -a {PASSWORD} ping", PASSWORD), "redis-cli -h x --askpass ping"),
    "mongosh": ((f"mongosh -u me -p {PASSWORD} x", PASSWORD), "mongosh -u me -p --port 27017"),
    "ldapsearch": ((f"ldapsearch -x -D cn=me -w {PASSWORD}", PASSWORD), "ldapsearch -x -W -D cn=me"),
    "openssl": ((f"openssl rsa -in k -passin pass:{PASSWORD}", PASSWORD), "openssl rsa -in k -passin env:PASS"),
    "kubeconfig": ((f"    client-key-data: {KEY_DATA}", KEY_DATA), f"    client-certificate-data: {fake(80, BASE64)}"),
    "xml element": ((f"<password>{PASSWORD}</password>", PASSWORD), "<password>${db.password}</password>"),
    "xml with a namespace": ((f"<wsse:Password>{PASSWORD}</wsse:Password>", PASSWORD), "<label>Password</label>"),
    "xml of words": (
        ("<server><password>swordfish</password>", "swordfish"),
        "<password>Enter your password</password>",
    ),
    "xml attribute": (
        (f'<entry name="password">{PASSWORD}</entry>', PASSWORD),
        '<string name="password">Passwort</string>',
    ),
    "xml settings": ((f'<add key="Password" value="{PASSWORD}"/>', PASSWORD), '<add key="Password" value=""/>'),
    "property list": (
        (f"<key>password</key>\n  <string>{PASSWORD}</string>", PASSWORD),
        "<key>password</key>\n  <true/>",
    ),
    "yaml block": ((f"password: |\n  {PASSWORD}\nport: 1", PASSWORD), "password: |\n  ask the person for it\n"),
    "yaml folded": ((f"db:\n  token: >-\n    {TOKEN}\n", TOKEN), "token: >-\n  ${{ secrets.TOKEN }}\n"),
    "php define": (
        (f"define('DB_PASSWORD', '{PASSWORD}');", PASSWORD),
        "define('DB_PASSWORD', getenv('DB_PASSWORD'));",
    ),
    "php define of words": (
        ("define( 'DB_PASSWORD', 'swordfish' );", "swordfish"),
        "define('PASSWORD_HINT', 'first pet');",
    ),
    "setter": ((f'req.setHeader("Authorization", "Bearer {TOKEN}")', TOKEN), 'errors.add("password", "too short")'),
    "environment call": ((f'os.putenv("API_TOKEN", "{TOKEN}")', TOKEN), 'getattr(self, "token", "default")'),
    "told in words": (
        (f"please use the password {PASSWORD} to log in", PASSWORD),
        "use the password manager to log in",
    ),
    "told in quotes": (('log in with password "swordfish"', "swordfish"), 'with password "must not be empty"'),
    "told in Chinese": ((f"请使用密码 {PASSWORD} 登录", PASSWORD), "请使用密码 登录"),
    "base64 of a token": ((f"value: {ENCODED}", ENCODED), base64.b64encode(b"an ordinary sentence of words").decode()),
    "base64 of a key": ((f"tls.key: {KEY_DATA}", KEY_DATA), fake(120, BASE64)),
    "base64 after a user": (
        (base64.b64encode(f"me:ghp_{fake(36)}".encode()).decode(), base64.b64encode(b"me:ghp").decode()[:6]),
        base64.b64encode(string.printable[:60].encode()).decode(),
    ),
}


@pytest.mark.req("safe.secrets.kinds")
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_finds_its_example_and_leaves_its_look_alike(rule: str) -> None:
    (text, secret), look_alike = RULES[rule]
    assert secret in text
    assert secret not in redact(text), redact(text)
    assert redact(look_alike) == look_alike
    for surrounded in (f"first\n{text}\nlast", f"$ x; {text}"):
        assert secret not in redact(surrounded)


@pytest.mark.req("safe.secrets.kinds", "safe.secrets.stream")
@pytest.mark.parametrize("rule", [rule for rule, ((text, _), _) in RULES.items() if "\n" in text])
def test_what_goes_over_lines_is_found_line_by_line(rule: str) -> None:
    (text, secret), _ = RULES[rule]
    redactor = LineRedactor()
    assert secret not in "\n".join(map(redactor.hide, text.split("\n")))


@pytest.mark.req("safe.secrets.kinds")
@pytest.mark.parametrize(
    "unit",
    [
        "mysql ",
        "machine a login ",
        "sshpass -p ",
        "docker login ",
        "<password>",
        "password: |\n ",
        "use the password ",
        "define('",
        "-----END PRIVATE KEY-----",
        "https://a1" + "b" * 30,
        "Z2hwX",
    ],
)
def test_new_rules_end_on_long_text(unit: str) -> None:
    once = redact(unit * (200_000 // len(unit)))
    assert redact(once) is once
    assert find_secrets(once) == []
