-- What a run of the queue has recorded so far: whoever takes it up next goes on from it.
CREATE TABLE mi_hub.run_record (
    member text NOT NULL,  -- whose run it is
    run text NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    home text NOT NULL REFERENCES mi_hub.home,  -- that it worked in
    epoch bigint NOT NULL,
    taken timestamptz NOT NULL DEFAULT now(),
    body text NOT NULL CHECK (octet_length(body) <= 16777216 AND body LIKE '{%'),
    PRIMARY KEY (member, run, seq)
);

-- Take records of a run from whoever holds it; null for anybody else, such as a worker whose claim is another's now.
CREATE FUNCTION mi_hub.push_run(of_token text, seqs bigint[], bodies text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
#variable_conflict use_column
DECLARE
    held job%ROWTYPE;
    count bigint;
BEGIN
    SELECT * INTO held FROM job WHERE token = of_token AND claimer = mi_hub.me() FOR SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    INSERT INTO run_record (member, run, seq, home, epoch, body)
        SELECT held.member, held.run, seq, held.home, held.epoch, body FROM unnest(seqs, bodies) AS given (seq, body)
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS count = ROW_COUNT;
    RETURN count;
END
$$;

-- Whose run it is, and whoever works on it, read what it recorded; nobody else.
ALTER TABLE mi_hub.run_record ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON mi_hub.run_record FOR SELECT USING (
    member = (SELECT mi_hub.me()) OR EXISTS (
        SELECT FROM mi_hub.job WHERE job.member = run_record.member AND job.run = run_record.run
            AND job.claimer = (SELECT mi_hub.me()) AND job.state = 'running'
    )
);
GRANT SELECT ON mi_hub.run_record TO :everybody;

-- An answer to a run of the queue is for whoever takes it up next: it stays here, and queues the next stretch.
CREATE FUNCTION mi_hub.wake_answered() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    asked question%ROWTYPE;
BEGIN
    SELECT * INTO asked FROM question WHERE id = NEW.question;
    IF EXISTS (SELECT FROM job WHERE member = asked.member AND run = asked.run AND home = asked.home) THEN
        UPDATE question SET closed = now(), closed_by = NEW.member, body = '{}' WHERE id = asked.id;
        LOCK TABLE turn IN EXCLUSIVE MODE;
        PERFORM mi_hub.wake_job(asked.member, asked.run, ARRAY['waiting']);
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION mi_hub.wake_answered() FROM PUBLIC;
CREATE TRIGGER wake_answered AFTER INSERT ON mi_hub.answer FOR EACH ROW EXECUTE FUNCTION mi_hub.wake_answered();

-- What was answered to the questions of a run, for whoever holds it.
CREATE FUNCTION mi_hub.read_answers(of_token text)
RETURNS TABLE (question text, said text, by_member text, once boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
    SELECT answer.question, answer.body, answer.member, answer.once FROM job
    JOIN question ON question.member = job.member AND question.run = job.run
    JOIN answer ON answer.question = question.id
    JOIN member ON member.name = answer.member AND member.removed IS NULL
    WHERE job.token = of_token AND job.claimer = mi_hub.me() ORDER BY answer.said
$$;
