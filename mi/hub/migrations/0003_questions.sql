-- Questions of runs, for the other homes of whoever the run belongs to and for members whose word it cites.
-- A question waits at the home that asked it; its text and its answer are here only until that home closes it.

CREATE TABLE mi_hub.question (
    id text PRIMARY KEY CHECK (id ~ '^qu_[a-zA-Z0-9_]{8,60}$'),
    home text NOT NULL REFERENCES mi_hub.home,
    seat name NOT NULL,  -- the login that asked: an answer never comes by the same
    run text NOT NULL,
    member text NOT NULL REFERENCES mi_hub.member,  -- whose run it is
    addressed text[] NOT NULL,  -- others who may answer
    body text NOT NULL CHECK (octet_length(body) <= 65536 AND body LIKE '{%'),
    asked timestamptz NOT NULL DEFAULT now(),
    closed timestamptz,
    closed_by text  -- the member whose answer counted, or who closed it otherwise
);
CREATE INDEX question_home ON mi_hub.question (home) WHERE closed IS NULL;
CREATE INDEX question_member ON mi_hub.question (member) WHERE closed IS NULL;
CREATE INDEX question_addressed ON mi_hub.question USING gin (addressed) WHERE closed IS NULL;
CREATE INDEX question_closed ON mi_hub.question (closed) WHERE closed IS NOT NULL;

CREATE TABLE mi_hub.answer (
    question text PRIMARY KEY REFERENCES mi_hub.question ON DELETE CASCADE,
    member text NOT NULL REFERENCES mi_hub.member,
    seat name NOT NULL,
    body text NOT NULL CHECK (octet_length(body) <= 65536),
    once boolean NOT NULL,
    said timestamptz NOT NULL DEFAULT now()
);

-- Wake the homes of members, and a home.
CREATE FUNCTION mi_hub.tell_of_question(VARIADIC whom text[]) RETURNS void
LANGUAGE sql SET search_path = mi_hub, pg_temp AS $$
    SELECT pg_notify('mi_hub', 'question ' || left(array_to_string(whom, ' '), 7000))
$$;
REVOKE ALL ON FUNCTION mi_hub.tell_of_question(text[]) FROM PUBLIC;

-- Ask; false, and nothing is kept, where nobody could answer but the home itself.
CREATE FUNCTION mi_hub.ask(of_home text, of_id text, of_run text, whom text[], of_body text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    asker text := mi_hub.me();
    -- A run of the hub's queue belongs to whoever put it there, as far as it was this home that claimed it.
    whose text := coalesce((SELECT job.member FROM job WHERE job.run = of_run AND job.home = of_home
        ORDER BY job.changed DESC LIMIT 1), asker);
    others text[] := ARRAY(SELECT name FROM member WHERE name = ANY(whom) AND name <> asker AND removed IS NULL);
BEGIN
    IF NOT EXISTS (SELECT FROM home WHERE id = of_home AND member = asker) THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s is no home of %s', of_home, session_user);
    END IF;
    IF whose = asker AND others = '{}' AND NOT EXISTS (SELECT FROM home WHERE member = whose AND id <> of_home) THEN
        RETURN false;
    END IF;
    INSERT INTO question (id, home, seat, run, member, addressed, body)
        VALUES (of_id, of_home, session_user, of_run, whose, others, of_body) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        PERFORM tell_of_question(VARIADIC whose || others);
    END IF;
    RETURN true;
END
$$;

-- Answer; the first answer counts. Gives who was first, and whether that is this login.
CREATE FUNCTION mi_hub.answer(of_question text, of_body text, only_once boolean)
RETURNS TABLE (first_by text, is_own boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    speaker text := mi_hub.me();
    found_question question%ROWTYPE;
BEGIN
    SELECT * INTO found_question FROM question WHERE id = of_question FOR UPDATE;
    IF speaker IS NULL OR found_question.id IS NULL
        OR NOT (speaker = found_question.member OR speaker = ANY(found_question.addressed)) THEN
        RAISE insufficient_privilege USING MESSAGE = format('no question %s for %s', of_question, session_user);
    END IF;
    IF found_question.seat = session_user THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s waits at this very home: answer it there', of_question);
    END IF;
    IF found_question.closed IS NOT NULL THEN
        RETURN QUERY SELECT found_question.closed_by, EXISTS (
            SELECT FROM answer WHERE answer.question = of_question AND answer.seat = session_user);
        RETURN;
    END IF;
    -- What somebody said who was removed since counts no more.
    DELETE FROM answer USING member WHERE answer.question = of_question AND member.name = answer.member
        AND member.removed IS NOT NULL;
    INSERT INTO answer (question, member, seat, body, once)
        VALUES (of_question, speaker, session_user, of_body, only_once) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        PERFORM tell_of_question(found_question.home);
    END IF;
    RETURN QUERY SELECT answer.member, answer.seat = session_user FROM answer WHERE answer.question = of_question;
END
$$;

-- Close a question of one's own home: answered by the answer that is here, or otherwise. Its words go.
CREATE FUNCTION mi_hub.close_question(of_question text, by_answer boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    found_question question%ROWTYPE;
    answered_by text := (SELECT answer.member FROM answer WHERE answer.question = of_question);
BEGIN
    UPDATE question SET closed = now(), body = '{}',
        closed_by = CASE WHEN by_answer THEN coalesce(answered_by, mi_hub.me()) ELSE mi_hub.me() END
        FROM home WHERE question.id = of_question AND question.closed IS NULL AND home.id = question.home
            AND home.member = mi_hub.me()
        RETURNING question.* INTO found_question;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF by_answer THEN
        UPDATE answer SET body = '' WHERE question = of_question;
    ELSE
        DELETE FROM answer WHERE question = of_question;
    END IF;
    DELETE FROM question WHERE closed < now() - interval '30 days';
    PERFORM tell_of_question(VARIADIC found_question.member || found_question.addressed || answered_by);
END
$$;

ALTER TABLE mi_hub.question ENABLE ROW LEVEL SECURITY;
ALTER TABLE mi_hub.answer ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON mi_hub.question FOR SELECT USING (
    member = (SELECT mi_hub.me()) OR (SELECT mi_hub.me()) = ANY(addressed)
    OR home IN (SELECT home.id FROM mi_hub.home WHERE home.member = (SELECT mi_hub.me()))
);
CREATE POLICY seen ON mi_hub.answer FOR SELECT USING (
    question IN (SELECT question.id FROM mi_hub.question)
    AND EXISTS (SELECT FROM mi_hub.member WHERE member.name = answer.member AND member.removed IS NULL)
);
GRANT SELECT ON mi_hub.question, mi_hub.answer TO :everybody;
