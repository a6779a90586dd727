"""English words by which a secret is known: apart, since whatever is stored or shown is looked through for them."""

from mi.kernel.language import Patterns


class EnglishSecrets(Patterns):
    """How English names secrets and says that one is given."""

    secret_names = tuple("pass pw secret token credential contrase key auth bearer signature".split())
    secret_is = r" {1,3}is[ \t:]{1,3}"
    secret_given = r"\b(?:use|using|with|try|enter|type)(?: (?!no |any )[a-z]{1,12}){0,3} $"
    prose_words = r"\b(?:an?|and|are|for|in|is|must|no|not|of|or|the|to|with|your|password|token)\b"


PATTERNS = EnglishSecrets()
