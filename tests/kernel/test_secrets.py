"""The one secret scanner: what it must catch, what it must leave alone, and what `redact` promises.

No secret-shaped literal stands in this file: bodies are generated at run time, so that a push-protection
scanner finds nothing here.
"""

import base64
import json
import random
import string
import subprocess
import sys
from typing import Any

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mi.kernel import secrets
from mi.kernel.secrets import Secret, find_hints, find_secrets, redact

ALNUM = string.ascii_letters + string.digits
BASE64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def fake(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    """A made-up credential, the same in every run, with both cases and a digit if the alphabet has them."""
    chosen = random.Random(f"{seed}{length}{alphabet}")
    body = [chosen.choice(alphabet) for _ in range(length - 4)]
    return "".join(body) + "".join(c for c in "q7Z9" if c in alphabet).ljust(4, alphabet[0])


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


UUID = "-".join(fake(length, HEX) for length in (8, 4, 4, 4, 12))
PASSWORD = "hun" + "ter2!Kq"
JWT = ".".join([encoded({"alg": "HS256", "typ": "JWT"}), encoded({"sub": "1234567890"}), fake(43, URLSAFE)])
PEM_BODY = "\n".join([fake(64, BASE64, seed) for seed in range(4)] + [fake(20, BASE64) + "=="])
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----"


def values(text: str) -> list[str]:
    return [text[secret.start : secret.end] for secret in find_secrets(text)]


def kinds(text: str) -> list[str]:
    return [secret.kind for secret in find_secrets(text)]


# --- detect-secrets ------------------------------------------------------------------------------------
# For each detector, by its secret type: texts, and the part that must not survive redaction. "Fully" means
# every credential of that kind that is in use; not what only a loose pattern of the detector lets in, such as
# a prefix in the middle of a word or a random part without a digit. Else the comment says how far ours goes.
DETECTORS: dict[str, list[tuple[str, str]]] = {
    # Fully, but for bodies shorter than 16 and without both cases and a digit: those are words.
    "Artifactory Credentials": [
        (f'artifactory: "AKC{fake(20)}"', fake(20)),
        (f'jfrog: "AP6{fake(24)}"', fake(24)),
    ],
    "AWS Access Key": [  # fully
        (f"id is AKIA{fake(16, UPPER)} now", "AKIA"),
        (f'aws_secret_access_key = "{fake(40, BASE64)}"', fake(40, BASE64)),
        (f'aws_key: "{fake(40, BASE64)}"', fake(40, BASE64)),
    ],
    "Azure Storage Account access key": [  # fully
        (f"AccountName=x;AccountKey={fake(86, BASE64)}==;EndpointSuffix=core", fake(86, BASE64)),
    ],
    "Basic Auth Credentials": [  # fully, but for placeholder passwords
        (f"postgres://admin:{fake(12)}@db.internal:5432/app", fake(12)),
    ],
    # Quoted values that hold both cases and a digit, or any under a name that says more than `key`: in the
    # detector the quotes alone are enough, which flags ids, hashes and images.
    "Base64 High Entropy String": [
        (f'secret = "{fake(40, BASE64)}"', fake(40, BASE64)),
        (f'"key": "{fake(44, URLSAFE)}"', fake(44, URLSAFE)),
        (f"'auth': '{fake(64, BASE64)}'", fake(64, BASE64)),
    ],
    "Cloudant Credentials": [  # fully
        (f'cloudant_password = "{fake(64, HEX)}"', fake(64, HEX)),
        (f'clou_apikey: "{fake(24, string.ascii_lowercase)}"', fake(24, string.ascii_lowercase)),
        (f"https://account:{fake(64, HEX)}@account.cloudant.com", fake(64, HEX)),
    ],
    "Discord Bot Token": [  # fully
        (f"M{fake(23)}.{fake(6)}.{fake(27, URLSAFE)}", fake(27, URLSAFE)),
    ],
    "GitHub Token": [(f"use gh{kind}_{fake(36)} to push", fake(36)) for kind in "pousr"],  # fully
    "GitLab Token": [  # fully
        *[(f"gl{kind}-{fake(20)}", fake(20)) for kind in ("pat", "dt", "ft", "soat", "rt")],
        (f"glcbt-1f_{fake(20)}", fake(20)),
        (f"GR1348941{fake(20)}", fake(20)),
        (f"glimt-{fake(25)}", fake(25)),
        (f"glptt-{fake(40)}", fake(40)),
        (f"glagent-{fake(50)}", fake(50)),
        (f"gloas-{fake(64)}", fake(64)),
    ],
    "Hex High Entropy String": [  # as base64 above; 32 digits or more under a mere `*_key`
        (f'signing_key = "{fake(32, HEX)}"', fake(32, HEX)),
        (f"'datadog_key': '{fake(32, HEX)}'", fake(32, HEX)),
    ],
    "IBM Cloud IAM Key": [  # fully
        (f'ibm_cloud_iam_api_key = "{fake(44, URLSAFE)}"', fake(44, URLSAFE)),
        (f"cloud-iam-key: {fake(44)}", fake(44)),
    ],
    "IBM COS HMAC Credentials": [  # fully
        (f'cos_hmac_secret_access_key = "{fake(48, HEX)}"', fake(48, HEX)),
    ],
    "JSON Web Token": [(f"got {JWT} back", JWT)],  # fully
    "Mailchimp Access Key": [(f"mc {fake(32, HEX)}-us12 end", fake(32, HEX))],  # fully
    "NPM tokens": [  # fully
        (f"//registry.npmjs.org/:_authToken=npm_{fake(36)}", fake(36)),
        (f"//registry.npmjs.org/:_authToken={UUID}", UUID),
    ],
    "OpenAI Token": [  # fully
        (f"sk-{fake(20)}T3BlbkFJ{fake(20, seed=8)}", fake(20)),
        (f"key sk-proj-{fake(20)}T3BlbkFJ{fake(20, seed=8)} end", fake(20)),
    ],
    "Private Key": [  # fully, if any key text follows the marker
        (PEM, PEM_BODY),
        (PEM.replace("RSA ", "OPENSSH "), PEM_BODY),
        (PEM.replace("RSA ", ""), PEM_BODY),
        (PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"), PEM_BODY),
        (
            f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 4\n{PEM_BODY}\nPrivate-MAC: {fake(40, HEX)}",
            PEM_BODY,
        ),
    ],
    # Only as the host of a URL, and no documentation range: anywhere else it may be a version.
    "Public IP (ipv4)": [("http://52.95.110.1:8080/x", "52.95.110.1")],
    "PyPI Token": [  # fully
        (f"pypi-AgEIcHlwaS5vcmc{fake(72, URLSAFE)}", fake(72, URLSAFE)),
        (f"pypi-AgENdGVzdC5weXBpLm9yZw{fake(72, URLSAFE)}", fake(72, URLSAFE)),
    ],
    # Each way of writing that the detector knows, but for `"x" == password`. Not followed: values shorter
    # than four characters, plain words after `db_key` and the like, prose, types and placeholders.
    "Secret Keyword": [
        (line, PASSWORD)
        for line in (
            f'my_password = "{PASSWORD}"',
            f'"api_key": "{PASSWORD}"',
            f"passwd: '{PASSWORD}'",
            f'db_pass := "{PASSWORD}"',
            f"'secret' => '{PASSWORD}',",
            f'if password_secure == "{PASSWORD}":',
            f'if (pwd !== "{PASSWORD}")',
            f'private_key "{PASSWORD}";',
            f"contraseña = '{PASSWORD}'",
            f'service_key = "{PASSWORD}"',
        )
    ],
    "SendGrid API Key": [(f"SG.{fake(22, URLSAFE)}.{fake(43, URLSAFE)}", fake(43, URLSAFE))],  # fully
    "Slack Token": [  # fully
        (f"xoxb-{fake(12, string.digits)}-{fake(24)}", fake(24)),
        (f"https://hooks.slack.com/services/T{fake(8)}/B{fake(8)}/{fake(24)}", fake(24)),
    ],
    "SoftLayer Credentials": [  # but for keys in the path of SOAP URLs, a retired interface
        (f'softlayer_api_key = "{fake(64, HEX)}"', fake(64, HEX)),
    ],
    "Square OAuth Secret": [(f"sq0csp-{fake(43, URLSAFE)}", fake(43, URLSAFE))],  # fully
    "Stripe Access Key": [(f"{kind}k_live_{fake(24)}", fake(24)) for kind in "rs"],  # fully
    "Telegram Bot Token": [(f"{fake(10, string.digits)}:{fake(35, URLSAFE)}", fake(35, URLSAFE))],  # fully
    "Twilio API Key": [(f"{kind}{fake(32, HEX)}", fake(32, HEX)) for kind in ("AC", "SK")],  # fully
}


@pytest.mark.req("mi.fail.scanner-detectors")
def test_every_detector_of_detect_secrets_has_an_example() -> None:
    assert set(get_mapping_from_secret_type_to_class()) == set(DETECTORS)


def flagged(secret_type: str, text: str) -> set[str]:
    """What the detector itself flags, line by line; the keyword detector's forms depend on the language."""
    detectors: dict[str, Any] = get_mapping_from_secret_type_to_class()
    detector = detectors[secret_type]()
    found = [detector.analyze_line(filename=name, line=line) for name in ("a.py", "a.go") for line in text.splitlines()]
    return {str(secret.secret_value) for secrets in found for secret in secrets if secret.secret_value}


@pytest.mark.req("mi.fail.scanner-detectors")
@pytest.mark.parametrize(
    ("secret_type", "text", "secret"),
    [(secret_type, text, secret) for secret_type, rows in DETECTORS.items() for text, secret in rows],
)
def test_what_detect_secrets_flags_is_found_and_redacted(secret_type: str, text: str, secret: str) -> None:
    by_detector = flagged(secret_type, text)
    assert by_detector  # else the example proves nothing
    assert secret in text
    assert find_secrets(text)
    assert not [value for value in (secret, *by_detector) if value in redact(text)]


# --- values that identify themselves -------------------------------------------------------------------
OTHER_PREFIXES = """ATATT GOCSPX- HRKU- LTAI NRAK- PMAK- dckr_pat_ doo_v1_ dop_v1_ dor_v1_ figd_ glsa_ gsk_ hvs.
    lin_api_ ntn_ nvapi- pcsk_ pplx- r8_ rubygems_ sbp_ secret_ shpat_ sq0atp- sq0csp- tskey- xai- ya29."""
VENDOR_TOKENS = [
    ("anthropic-key", "sk-ant-" + "api03-" + fake(93, URLSAFE)),
    ("openai-key", "sk-" + fake(48)),
    ("openai-key", "sk-proj-" + fake(120, URLSAFE)),
    ("openai-key", "sk-or-v1-" + fake(64, HEX)),
    *[("github-token", f"gh{kind}_" + fake(36)) for kind in "pousr"],
    ("github-token", "github_pat_" + fake(22) + "_" + fake(59)),
    ("gitlab-token", "glpat-" + fake(20, URLSAFE)),
    ("gitlab-token", "glpat-" + fake(27, URLSAFE) + ".01." + fake(9)),
    *[("slack-token", f"xox{kind}-" + fake(12, string.digits) + "-" + fake(24)) for kind in "abcdeoprs"],
    ("slack-token", "xapp-1-" + fake(60)),
    ("slack-webhook", "hooks.slack.com/services/T" + fake(8) + "/B" + fake(10) + "/" + fake(24)),
    *[("discord-token", f"{first}{fake(25)}.{fake(6)}.{fake(38, URLSAFE)}") for first in "MNO"],
    *[("aws-access-key", kind + fake(16, UPPER)) for kind in ("AKIA", "ASIA", "ABIA", "ACCA", "A3TX")],
    ("aws-access-key", "AKIA" + "IOSFODNN7" + "EXAMPLE"),  # of the documentation: nobody can tell it from a real one
    ("google-api-key", "AIza" + fake(35, URLSAFE)),
    ("npm-token", "npm_" + fake(36)),
    ("pypi-token", "pypi-AgEI" + fake(80, URLSAFE)),
    *[("stripe-key", f"{kind}_" + fake(24)) for kind in ("sk_live", "rk_live", "sk_test", "rk_test", "whsec")],
    ("twilio-key", "SK" + fake(32, HEX)),
    ("sendgrid-key", "SG." + fake(22, URLSAFE) + "." + fake(43, URLSAFE)),
    ("huggingface-token", "hf_" + fake(34, string.ascii_letters)),
    ("huggingface-token", "api_org_" + fake(34, string.ascii_letters)),
    ("doppler-token", "dp.st.dev." + fake(43)),
    *[("doppler-token", f"dp.{kind}." + fake(43)) for kind in ("pt", "ct", "sa", "scim", "audit")],
    ("databricks-token", "dapi" + fake(32, HEX)),
    ("vendor-token", "AGE-SECRET-KEY-1" + fake(58, UPPER)),
    *[("vendor-token", prefix + fake(40)) for prefix in OTHER_PREFIXES.split()],
    ("jwt", JWT),
    ("jwt", ".".join([encoded({"alg": "dir", "enc": "A256GCM"}), "", fake(16), fake(60), fake(22)])),
]
SURROUNDINGS = [
    "%s",
    "see %s, then go on",
    "<a href='https://x.org/?q=%s'>",
    '{"text": "first\\n%s\\n"}',  # an escaped newline in JSON leaves the letter n before the value
    "\x1b[31m%s\x1b[0m",
    "to=x%%3D%s",
    "令牌在这里%s。",
]


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize(("kind", "token"), VENDOR_TOKENS)
def test_vendor_token_is_found_exactly_whatever_stands_around_it(kind: str, token: str, surrounding: str) -> None:
    text = surrounding % token
    assert [(kind, token)] == [(s.kind, text[s.start : s.end]) for s in find_secrets(text)]


@pytest.mark.parametrize(
    ("kind", "text", "secret"),
    [
        ("url-credential", f"git clone https://me:{PASSWORD}@host/x.git", PASSWORD),
        ("url-credential", f"amqp://u:{fake(5)}@{fake(5)}@host:5672/%2f", f"{fake(5)}@{fake(5)}"),
        ("url-credential", f"redis://:{PASSWORD}@cache:6379/0", PASSWORD),
        ("url-credential", f"smtp://me@x.org:{PASSWORD}@mail.x.org", PASSWORD),
        ("url-credential", f'"https:\\/\\/me:{PASSWORD}@host\\/x"', PASSWORD),
        (
            "url-signature",
            f"https://a.blob.core.windows.net/c?sv=2024&sig={fake(40)}%3D&se=2",
            fake(40) + "%3D",
        ),
        (
            "telegram-token",
            f"https://api.telegram.org/bot{fake(9, string.digits)}:{fake(35, URLSAFE)}/getMe",
            fake(35, URLSAFE),
        ),
        ("mailchimp-key", f"x {fake(32, HEX)}-us7", fake(32, HEX)),
        ("aws-secret-key", f"AKIA{fake(16, HEX.upper())},{fake(40, BASE64)}\n", fake(40, BASE64)),
        ("cli-credential", f"curl -sS -u admin:{PASSWORD} https://x", PASSWORD),
        ("authorization", f"Authorization: Bearer {fake(20)}", fake(20)),
        ("authorization", f"curl -H 'authorization: Basic {encoded('me:pass')}'", encoded("me:pass")),
        ("authorization", f'{{"Authorization": "Bearer {fake(20)}"}}', fake(20)),
        ("authorization", f'"{{\\"Authorization\\": \\"token {fake(20)}\\"}}"', fake(20)),
        ("authorization", f"sent bearer {fake(20)} twice", fake(20)),
        (
            "discord-webhook",
            f"https://discord.com/api/webhooks/{fake(18, string.digits)}/{fake(68, URLSAFE)}",
            f"webhooks/{fake(18, string.digits)}/{fake(68, URLSAFE)}",
        ),
        ("cookie", f"Set-Cookie: sid={fake(20)}; Path=/\nServer: x", f"sid={fake(20)}; Path=/"),
        ("cookie", f"cookie: theme=dark; sid={fake(20)}\nHost: x", f"theme=dark; sid={fake(20)}"),
        ("cookie", f'{{"cookie": "sid={fake(20)}"}}', f"sid={fake(20)}"),
        ("cookie", f'"{{\\"cookie\\": \\"sid={fake(20)}\\"}}"', f"sid={fake(20)}"),
        ("cookie", f'"set-cookie": ["a=1; Path=/", "sid={fake(20)}; Secure"]', fake(20)),
        ("cookie", f'{{"name": "Cookie", "value": "sid={fake(20)}"}}', f"sid={fake(20)}"),
    ],
)
def test_other_shapes_are_found_exactly(kind: str, text: str, secret: str) -> None:
    assert (kind, secret) in [(s.kind, text[s.start : s.end]) for s in find_secrets(text)]


@pytest.mark.parametrize(
    "text",
    [
        PEM,
        json.dumps({"private_key": PEM}),
        json.dumps({"private_key_data": json.dumps({"k": PEM})}),
        PEM.rpartition("\n")[0] + "\n",  # the END line is missing
        json.dumps({"line": PEM.rpartition("\n")[0]}),
        PEM.replace("\n", "\r\n    "),
        PEM.replace("\n", "\n+"),  # a diff
        PEM.replace("\n", "\n # "),  # a comment
        PEM.replace("\n", " "),
        PEM.replace("\n", "\\n"),
        json.dumps(PEM.split("\n")),
        PEM.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F\n\n", 1),
        '"' + PEM.replace("\n", '\\n" +\n  "') + '"',
    ],
)
def test_private_key_is_removed_whole(text: str) -> None:
    hidden = redact(text)
    assert not [line for line in PEM_BODY.split("\n") if line in hidden]
    assert "PRIVATE KEY" not in hidden
    assert len(find_secrets(text)) == 1


def test_a_cut_off_private_key_does_not_swallow_the_next_key_of_an_object() -> None:
    document = {"a": PEM[:200], "password": None, "b": PEM[:200], "abcdefghijklmnopqrst": 1}
    assert json.loads(redact(json.dumps(document))) == document | dict.fromkeys("ab", "[redacted:private-key]")


def test_text_after_a_private_key_stays() -> None:
    assert redact(f"a\n{PEM}\nnext words here") == "a\n[redacted:private-key]\nnext words here"
    unended = PEM.rpartition("\n")[0]
    assert redact(f"a\n{unended}\nnext words here") == "a\n[redacted:private-key]\nnext words here"


# --- values that a name makes a secret -----------------------------------------------------------------
TOKEN = fake(24)
ASSIGNED = [
    # environment, shell, ini
    (f"PASSWORD={PASSWORD}", PASSWORD),
    (f"export FOO_TOKEN={TOKEN}", TOKEN),
    (f"DB_PASS={PASSWORD} ./run", PASSWORD),
    (f"docker run -e API_KEY={TOKEN} x", TOKEN),
    ("PGPASSWORD=correcthorse psql", "correcthorse"),
    (f"password = {PASSWORD}", PASSWORD),
    ("password = hun" + "ter2", "hun" + "ter2"),
    (f"Server=db;Password={PASSWORD};Database=x", PASSWORD),
    (f"?access_token={TOKEN}&x=1", TOKEN),
    (f"SECRET={fake(6)},{fake(6)}", f"{fake(6)},{fake(6)}"),
    # YAML, TOML, JSON
    (f"password: {PASSWORD}", PASSWORD),
    (f"config.yml:12:password: {PASSWORD}", PASSWORD),  # grep -n
    ("SMTP_PASSWORD = correcthorse", "correcthorse"),
    (f'{{"log": "first\\nkey: {fake(44)}"}}', fake(44)),
    ("  password: correcthorse\n", "correcthorse"),
    (f"  api-key: '{TOKEN}'  # note", TOKEN),
    (f"- name: DB_PASSWORD\n  value: {PASSWORD}\n", PASSWORD),
    (f'client_secret = "{TOKEN}"', TOKEN),
    (f'{{"api_key": "{TOKEN}"}}', TOKEN),
    (f'{{\\"api_key\\": \\"{TOKEN}\\"}}', TOKEN),
    (f'{{\\\\\\"api_key\\\\\\":\\\\\\"{TOKEN}\\\\\\"}}', TOKEN),
    (f'{{"accessKey" : "{TOKEN}"}}', TOKEN),
    ('{"password": "correct horse battery staple"}', "correct horse battery staple"),
    ('{"password": "a\\"b\\\\"}', 'a\\"b\\\\'),
    (f'{{"name": "token", "value": "{TOKEN}"}}', TOKEN),
    (f'{{"password": {{"value": "{PASSWORD}"}}}}', PASSWORD),
    (f'{{"pass": "{PASSWORD}"}}', PASSWORD),
    (f'{{"password": "{PASSWORD}', PASSWORD),  # cut off
    # code
    (f"password = '{PASSWORD}'", PASSWORD),
    (f'password: str = "{PASSWORD}"', PASSWORD),
    (f"const apiKey = `{TOKEN}`;", TOKEN),
    (f"client = Client(api_key='{TOKEN}', x=1)", TOKEN),
    (f'os.environ["API_TOKEN"] = "{TOKEN}"', TOKEN),
    (f"config['secret'] = b'{TOKEN}'", TOKEN),
    (f'char password[25] = "{PASSWORD}";', PASSWORD),
    (f"{{ password: '{PASSWORD}' }}", PASSWORD),
    (f'aws_secret_access_key="{fake(40, BASE64)}"', fake(40, BASE64)),
    # command line, headers, HTML
    (f"login --password {PASSWORD} --verbose", PASSWORD),
    (f"login --token={TOKEN}", TOKEN),
    (f"aws configure set aws_secret_access_key {fake(40, BASE64)}\n", fake(40, BASE64)),
    (f"login --api-key '{TOKEN}'", TOKEN),
    (f'["login", "--password", "{PASSWORD}"]', PASSWORD),
    (f"x-api-key: {TOKEN}", TOKEN),
    (f"X-Amz-Security-Token={TOKEN}&x", TOKEN),
    (f'<input type="password" value="{PASSWORD}">', PASSWORD),
    # Chinese, and English prose
    ("密码：hun" + "ter2", "hun" + "ter2"),
    (f"数据库密码是 {PASSWORD}，请保密", PASSWORD),
    (f"口令为{TOKEN}。", TOKEN),
    (f"密钥 = {TOKEN}", TOKEN),
    (f"令牌:{TOKEN}", TOKEN),
    (f"密码已改为“{PASSWORD}”", PASSWORD),
    (f"密码是：{PASSWORD}", PASSWORD),
    (f"the password is {PASSWORD}.", PASSWORD),
]


@pytest.mark.parametrize(("text", "secret"), ASSIGNED)
def test_value_of_a_secret_name_is_found_exactly(text: str, secret: str) -> None:
    assert values(text) == [secret]
    assert redact(text).replace("[redacted:assigned-secret]", secret) == text


def test_all_items_of_a_list_under_a_secret_name_are_one_secret() -> None:
    text = json.dumps({"api_keys": [fake(20), fake(21), fake(22)], "x": ["y"]})
    assert json.loads(redact(text)) == {"api_keys": ["[redacted:assigned-secret]"], "x": ["y"]}


def test_a_long_value_is_found_to_its_end() -> None:
    long = fake(5000)
    assert values(f"SESSION_TOKEN={long} end") == [long]
    assert values(f'"session_token": "{long}"') == [long]
    for length in range(120, 140):  # around the length up to which a value is judged
        assert values(f'{{"password": "{fake(length)}", "x": null}}') == [fake(length)]
        assert values(f"PASSWORD={fake(length)} x") == [fake(length)]


@pytest.mark.parametrize(
    "text",
    [
        shape % value
        for shape in (
            "password=%s",
            "api_key: %s",
            'API_TOKEN = "%s"',
            '{"secret": "%s"}',
            "run --token %s x",
            "https://me:%s@host",
            "密码：%s",
            "Authorization: Bearer %s",
            '{\\"pwd\\": \\"%s\\"}',
        )
        for value in (
            "<token>",
            "<your token>",
            "${TOKEN}",
            "$TOKEN",
            "{{token}}",
            "{token}",
            "***",
            "********",
            "xxxx",
            "xxxxxxxxxxxxxxxxxxxxxxxx",
            "changeme",
            "your-key-here",
            "your_api_key",
            "REDACTED",
            "[REDACTED]",
            "example",
            "...",
            "%s",
            "$(cat token.txt)",
            "",
            "null",
            "None",
            "[redacted:jwt]",
        )
    ],
)
def test_placeholder_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    "text",
    [
        # references, calls, types
        "password = process.env.DB_PASSWORD",
        "token: process.env.TOKEN,",
        "TOKEN=process.env.TOKEN",
        'password = os.environ["DB_PASSWORD"]',
        'password = os.environ.get("DB_PASSWORD")',
        "password=getpass.getpass()",
        "password = get_password(user)",
        "connect(user=user, password=password, token=tok)",
        "self.token = token",
        "api_key=settings.api_key",
        "secret = SECRET_KEY_2",
        "token = match[1]",
        "password: string;",
        "password?: string",
        "password: str",
        "    token: str\n",
        "token: str | None = None",
        "secret: Optional[bytes] = None",
        "password: String!",
        "password: SecretStr",
        "key: K",
        "pub token: Vec<u8>,",
        "    password: Uint8Array,",
        'input("Password: ")',
        'print("token:", x, "y")',
        # counts and other words that only hold a secret word
        "tokens: 1234",
        '{"input_tokens": 123456, "output_tokens": 7}',
        "max_tokens=2000",
        "max_tokens=200000",
        "token_count: 123456789",
        'tokenizer = "cl100k_base_v2"',
        'tokenizer: "gpt2-medium-1234"',
        '"token_type": "bearer-2024-xyz"',
        "secretary: alice123",
        "keyboard=qwerty1234",
        "PASS: tests/test_a.py::test_1",
        "--- PASS: TestLogin1 (0.00s)",
        "compass: north123",
        '"secretKeyRef": {"name": "db-1"}',
        'secret_name = "prod/db-1/main"',
        f'{{"password_hash": "{fake(64, HEX)}"}}',
        "PWD=/home/me/src",
        "OLDPWD=/home/me/src2",
        "SECRET_PATH=/run/secrets/x1",
        "credentials: 'same-origin'",
        '"password": "Enter your new password"',
        '"password": "The one of the account"',
        '"SECRET_BLOCK": session,',
        "}else if(token === LEFT_BRACE){",
        'pattern = "arn:secret:[a-zA-Z0-9/_+=.@-]+$"',
        "x -- the token abc12345 expired",
        '"token": "expired"',
        '{"confirm_password": "请再次输入密码"}',
        json.dumps({"confirm_password": "请再次输入密码", "token_help": "令牌说明 2026"}),
        json.dumps({"password": "\x3cyour password\x3e"}).replace("<", "\\u003c").replace(">", "\\u003e"),
        'unexpected token "else1";',
        '{"token": " hello", "logprob": -0.1}',
        # prose
        "the password is stored hashed",
        "the password is SHA256-hashed",
        "Password: must be at least 8 characters long",
        "the token is 4096 bytes",
        "use the --password option to log in",
        "Authorization: Bearer token required",
        "a bearer of good news",
        "密码是用 bcrypt 存的",
        "密码：见文档",
        "密码是多少？",
        "令牌为空",
        # hashes, ids, blobs
        f"commit {fake(40, HEX)}",
        f'{{"sha256": "{fake(64, HEX)}"}}',
        f"digest=sha256:{fake(64, HEX)}",
        '{"id": "3f2b8c1e-9d4a-4b6f-8e2a-1c5d7f9b0a3e"}',
        '{"key": "3f2b8c1e-9d4a-4b6f-8e2a-1c5d7f9b0a3e"}',
        f'{{"key": "{fake(64, HEX)}"}}',
        f'{{"cache_key": "{fake(64, HEX)}"}}',
        "ev_run_20261116T145233Z_ab12cd_17",
        '{"token": "ev_run_20261116T145233Z_ab12cd_17"}',
        f'{{"id": "cl_01h{fake(23, HEX)}"}}',
        f"secret: cl_01h{fake(23, HEX)}",
        '{"key": "user.profile.settings.v2"}',
        f'"public_key": "{fake(64, BASE64)}"',
        f'"name": "{fake(44, BASE64)}"',
        f"data:image/png;base64,{fake(400, BASE64)}/AKIA{fake(16, HEX.upper())}+{fake(80, BASE64)}",
        f'{{"secret": "data:image/png;base64,{fake(4000, BASE64)}"}}',
        "eyJ" + fake(40) + ".json",
        f"-----BEGIN PUBLIC KEY-----\n{PEM_BODY}\n-----END PUBLIC KEY-----",
        'if "-----BEGIN RSA PRIVATE KEY-----" in text: found = True',
        "task-abcdefghijkl-1234567890-and-so-on",
        "sk-learn-is-not-a-key-but-a-package",
        "gh" + "p_" + "x" * 36,
        # addresses
        "http://127.0.0.1:8000/ http://192.168.1.10/ http://10.0.0.1/ https://203.0.113.7/",
        "version 52.95.110.1 and mesa==52.95.110.1",
        "https://host:8080/path@v1",
        "https://host:443?mail=me@host",
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod-db-1a2b",
        "def _highs_to_scipy_status_message_of_optimizer(x): pass",
        "git@github.com:owner/repo.git",
        "docker run -u 1000:1000 x",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert [(s.kind, text[s.start : s.end]) for s in find_secrets(text)] == []
    assert redact(text) is text


# --- what redact promises ------------------------------------------------------------------------------
DOCUMENT = {
    "api_key": TOKEN,
    "password": 'a"b\\c\n' + PASSWORD,
    "пароль password": PASSWORD,
    "pin_password": 12345678,  # stays: a bare number cannot be replaced by text in JSON
    "passwords": [PASSWORD, fake(12)],
    "note": f"密码：{PASSWORD}，数据库密码是 {PASSWORD} and it's token='{TOKEN}'",
    "quote": f"it's password: '{PASSWORD}\", and don't \"",
    "path": "C:\\npm_" + fake(36),
    "odd": "\npm_" + fake(36),  # JSON writes the newline as `\n`, and so seems to hold an npm token
    "log": f"one\nnpm_{fake(36)}\n\tghp_{fake(36)}\r\nAuthorization: Bearer {fake(30)}\n",
    "url": f"https://me:{PASSWORD}@host/?token={TOKEN}&x=1",
    "key": PEM,
    "env": {"DB_PASSWORD": PASSWORD, "argv": ["x", "--token", TOKEN], "cookie": f"sid={TOKEN}; Path=/"},
    "plain": ["password=", "token: ", 'say "password":', 5],
}
HIDDEN = [PASSWORD, TOKEN, fake(12), fake(36), fake(30), *PEM_BODY.split("\n")]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("indent", [None, 2])
def test_redacted_json_is_json_without_the_secrets(depth: int, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(DOCUMENT, indent=indent, ensure_ascii=ascii_only)
    for _ in range(depth):
        text = json.dumps({"output": text, "password": PASSWORD}, ensure_ascii=ascii_only)
    document = redact(text)
    for _ in range(depth):
        outer = json.loads(document)
        assert outer["password"] == "[redacted:assigned-secret]"
        document = outer["output"]
    inner = json.loads(document)
    assert not [secret for secret in HIDDEN if secret in json.dumps(inner, ensure_ascii=False)]
    assert inner["plain"] == DOCUMENT["plain"]
    assert set(inner) == set(DOCUMENT)


def test_offsets_hold_where_lower_case_is_longer() -> None:
    assert values(f"İİİ password={PASSWORD} İ") == [PASSWORD]


def test_redact_goes_on_until_nothing_is_found() -> None:
    discord = f"M{fake(25)}.{fake(6)}.{fake(38, URLSAFE)}"
    text = discord + PEM  # the dashes of the key hide where the token ends
    assert len(find_secrets(text)) == 1
    assert redact(text) == "[redacted:discord-token][redacted:private-key]"


def test_overlapping_findings_become_one_named_for_the_longest() -> None:
    assert redact(f"secret=x{PEM} end") == "secret=[redacted:private-key] end"
    text = f'"password": "{JWT}#{PASSWORD}"'
    assert find_secrets(text) == [Secret("assigned-secret", 13, len(text) - 1)]
    assert kinds(f'"token": "{JWT}"') == ["jwt"]


PIECES = [token for _, token in VENDOR_TOKENS] + [text for text, _ in ASSIGNED] + [PEM, PEM[:200], PASSWORD, TOKEN]
GLUE = [
    *"\"'\\:= \n,[]{}@İx",
    '\\"',
    "\\n",
    "password",
    "token",
    "key",
    "密码",
    "Bearer ",
    "cookie: ",
    "://a:",
]
GLUE += ["--password ", "-----BEGIN PRIVATE KEY-----", "[redacted:jwt]"]
TEXTS = st.lists(st.sampled_from(PIECES) | st.sampled_from(GLUE) | st.text(max_size=8), max_size=12).map("".join)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS | st.text())
@example("İ" * 3 + "password=" + "hun" + "ter2xy")  # lower case of İ is two characters long
@example("[redacted:assigned-secret]: hun" + "ter2xy")
def test_redact_is_idempotent_and_spans_are_sound(text: str) -> None:
    found = find_secrets(text)
    assert found == sorted(found, key=lambda secret: secret.start)
    ends = [0, *[secret.end for secret in found]]
    assert all(end <= secret.start < secret.end <= len(text) for end, secret in zip(ends, found, strict=False))
    once = redact(text)
    assert redact(once) is once
    assert find_secrets(once) == []
    assert (once is text) == (not found)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_what_is_hinted_at_in_many_texts_is_found_in_each(texts: list[str]) -> None:
    hints = find_hints(texts)
    assert [redact(text, hints) for text in texts] == [redact(text) for text in texts]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            TEXTS | st.sampled_from(["password", "api_key", "token", "cookie", "value", "name"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON_VALUES, st.booleans(), st.integers(0, 2))
def test_redacted_json_always_parses(value: object, ascii_only: bool, depth: int) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    for _ in range(depth):
        text = json.dumps([text], ensure_ascii=ascii_only)
    hidden = redact(text)
    for _ in range(depth):
        [hidden] = json.loads(hidden)
    json.loads(hidden)


# --- cost ----------------------------------------------------------------------------------------------
def test_importing_compiles_no_pattern_and_imports_no_language() -> None:
    code = (
        "import collections.abc, importlib.util, re, sys, typing\n"
        "spec = importlib.util.spec_from_file_location('scanner', sys.argv[1])\n"
        "module, before = importlib.util.module_from_spec(spec), set(sys.modules)\n"
        "re.compile = lambda *_: sys.exit('compiled at import')\n"
        "spec.loader.exec_module(module)\n"
        "print(sorted(name for name in set(sys.modules) - before if name.startswith('mi.')))"
    )
    shown = "['mi.kernel', 'mi.kernel.language', 'mi.kernel.named_tuple', 'mi.kernel.secret_rules']"
    command = [sys.executable, "-c", code, str(secrets.__file__)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == shown


def test_no_letter_but_one_changes_length_in_lower_case() -> None:
    """The scanner looks for names in lowered text and relies on equal offsets."""
    assert [c for c in map(chr, range(sys.maxunicode + 1)) if len(c.lower()) != 1] == ["İ"]


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        '"',
        "\\",
        "password=",
        'password="',
        'token=\\"',
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "=",
        "cookie=",
        "cookie: ",
        "sk-",
        "://a:",
        "--token ",
        "u5bc6\\u7801",
        "password=redacted ",
        fake(64, BASE64),
    ],
)
def test_a_long_line_of_one_thing_is_scanned(unit: str) -> None:
    """Ends at all: with a quadratic pattern this would take minutes. Nothing is timed."""
    once = redact(unit * (100_000 // len(unit)))
    assert redact(once) is once
