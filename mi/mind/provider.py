"""What a model behind MI must offer: one question in, one text out, or a failure that says what to do."""

from typing import TYPE_CHECKING, Any, Literal, Protocol

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import Redacted

if TYPE_CHECKING:
    from mi.agents.signals import StopFlag

Kind = Literal["rate_limit", "auth", "network", "timeout", "refused", "protocol", "stopped"]


class ModelRequest(NamedTuple):
    """One question to a model."""

    name: str
    system: str
    user: Redacted
    schema: dict[str, Any]
    model: str  # '' is the provider's own
    stop: "StopFlag | None" = None  # raised: nobody waits for the answer any more


class ModelReply(NamedTuple):
    """A model's answer; null figures are unknown."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class ProviderError(Exception):
    """A model did not answer. `retry_after_s` is given when the vendor asks to wait."""

    def __init__(self, kind: Kind, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s

    @property
    def worth_repeating(self) -> bool:
        return self.kind in ("rate_limit", "network", "timeout")


class Provider(Protocol):
    """A model, or an agent CLI that answers with structured output."""

    name: str

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the model's answer; ProviderError when there is none."""
        ...
