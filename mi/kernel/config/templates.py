"""Ready-made parts of a configuration, merged by `mi config apply-template`."""

from typing import Any

TEMPLATES: dict[str, dict[str, Any]] = {
    "codex": {"hands": {"provider": "codex"}, "mind": {"provider": "codex_schema"}},
    "claude": {"hands": {"provider": "claude"}, "mind": {"provider": "claude_schema"}},
    "claude-cli": {
        "hands": {
            "provider": "cli",
            "cli": {
                "prompt_mode": "arg",
                "exec": ["claude", "-p", "{prompt}", "--output-format", "stream-json", "--verbose"],
                "resume": [
                    *["claude", "-p", "{prompt}", "--output-format", "stream-json", "--verbose"],
                    *["--resume", "{thread_id}"],
                ],
                "thread_id_regex": '"(?:session_id|sessionId)"\\s*:\\s*"([A-Za-z0-9_-]+)"',
                "env": {},
            },
        }
    },
    "openai": {
        "mind": {
            "provider": "openai_compatible",
            "openai_compatible": {
                "base_url": "https://api.openai.com/v1",
                "model": "gpt-5.5",
                "api_key_env": "OPENAI_API_KEY",
            },
        }
    },
    "deepseek": {
        "mind": {
            "provider": "openai_compatible",
            "openai_compatible": {
                "base_url": "https://api.deepseek.com/v1",
                "model": "deepseek-chat",
                "api_key_env": "DEEPSEEK_API_KEY",
            },
        }
    },
    "anthropic": {
        "mind": {
            "provider": "anthropic",
            "anthropic": {
                "base_url": "https://api.anthropic.com",
                "model": "claude-sonnet-4-5",
                "api_key_env": "ANTHROPIC_API_KEY",
            },
        }
    },
    "rules": {"mind": {"provider": "rules"}},
    "strict": {
        "runtime": {
            "interrupt": {"mode": "on_high_risk"},
            "external_actions": {"network_policy": "ask", "install_policy": "ask"},
            "violation_response": {"auto_learn": False, "ask_user_respect_should_ask_user": False},
        },
        "profile": "strict",
        "governance": {"preflight": "enforce", "profile": "strict"},
    },
}
