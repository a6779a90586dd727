"""What a person answers: yes, no, how far and how much, in English."""

from mi.kernel.language import Patterns, listed


class EnglishAnswers(Patterns):
    """Consent and amounts."""

    # consent
    yes = (
        *"y yes yep ok okay sure fine good agree agreed approve approved accept accepted".split(),
        *("yes please", "yes, please"),
    )
    no = ("n", "no", "nope", "nah", "never")
    refusal = (
        r"(?:please |absolutely |certainly |definitely |of course |better |rather )?"
        r"(?:(?:n|no|nope|nah|never|not|don't|dont|stop|abort|cancel|halt|hold|wait|later|skip)\b"
        r"|do not\b|den(?:y|ied)\b|reject|refuse)"
    )
    no_refusal = (
        r"(?:no|not an?) (?:problem|objection|worries|issue|concern|doubt|need to (?:ask|wait|stop))"
        r"|(?:don't|dont|do not) (?:wait|ask|stop|worry|hesitate)"
    )
    yes_to_tasks = ("add", "go", "verified")
    yes_to_lesson = ("apply", "learn")
    no_to_lesson = ("dismiss", "reject", "drop")
    go_on = ("go", "go on", "continue")
    weak_yes = listed("ok, okay, sure, fine, good, agreed, go, go on, continue, proceed")
    go_ahead = listed(
        """go ahead, go on, go for it, go, continue, proceed, do it, do that, do so, please do, allow it, allow that, allow,
        allowed, permitted, granted, let it, you may, you can, you're allowed, that's fine, that's ok, that's okay, yeah,
        absolutely, of course, permission granted"""
    )
    adds_tasks = listed(
        "add it, add that, add this, add them, add those, add these, add the task, add the tasks, put it on, put them on"
    )
    for_session = listed("for this session, for the session, in this session, this session, the session, session")
    for_good = listed("always, from now on, every time, for good, in future, in the future")
    but = (
        r"\b(?:but|except|unless|instead|rather|however|though|not|don'?t|never|without|only (?:if|when|after|the)|if|once you"
        r"|when|after|before|first|as long as|provided|until)\b"
    )

    # how much
    numbers = {
        "0.5": r"half(?: an?)?",
        "1": r"an?|one",
        "2": r"two|a couple(?: of)?",
        "3": r"three",
        "4": r"four",
        "5": r"five",
        "6": r"six",
        "7": r"seven",
        "8": r"eight",
        "9": r"nine",
        "10": r"ten",
        "12": r"twelve|a dozen",
        "15": r"fifteen",
        "20": r"twenty",
        "30": r"thirty",
        "40": r"forty",
        "50": r"fifty",
        "60": r"sixty",
        "90": r"ninety",
    }
    scales = {"100": r"hundred", "1000": r"k|thousand", "1000000": r"m|million|mio"}
    and_a_half = r"and a half"
    before_unit = r"more|extra|additional|further|other|full|us"
    units = {
        "batches": r"batch(?:es)?|rounds?|turns?",
        "seconds": r"seconds?|secs?|s",
        "minutes": r"minutes?|mins?",
        "hours": r"hours?|hrs?|h",
        "tokens": r"tokens?|toks?",
        "usd": r"usd|dollars?|bucks?",
    }
    beside_number = (
        r"yes|ok|okay|sure|fine|please|raise|increase|add|give|it|the|limit|by|to|up|another|more|extra|of|just|only|about|with|take|them"
        r"|in total|total|altogether|overall|at most|set"
    )
    in_total = r"\bto [\d$]|\b(?:in total|altogether|overall|at most|total(?:ly)?|set(?: it)?)\b"
    as_much_again = r"\b(?:double|twice|same(?: amount)?(?: again)?|as much again|once more|again)\b"
    unlimited = (
        r"\b(?:no (?:more )?limits?|unlimited|without (?:a |any )?limits?|limitless|as much as (?:it|you) needs?)\b"
    )
