"""What a question is about, of the few matters that values speak of."""

from mi.kernel.language import compiled, patterns


def find_topic(question: str) -> str:
    """Return the topic that most words of a question belong to; '' when none does."""
    counts = {topic: len(compiled(words).findall(question)) for topic, words in patterns().topics.items()}
    best = max(counts, key=lambda topic: counts[topic], default="")
    return best if best and counts[best] else ""
