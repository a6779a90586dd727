-- Months are those of UTC: the end of one was counted in the time zone of whoever pushed first, so that a month could
-- begin before the one before it ended, and could not be made. A month that was cut so stays as it is; what is beyond
-- its bounds is among the others. Whoever has to wait since somebody reads for long (a dump) hears so.

CREATE OR REPLACE FUNCTION mi_hub.make_month(moment timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp SET timezone = 'UTC' SET lock_timeout = '20s' AS $$
DECLARE
    first timestamptz := date_trunc('month', moment);
    divided text;
    month text;
BEGIN
    -- Times of records are told by the homes' clocks: those far away stay with the others.
    IF moment < now() - interval '10 years' OR moment > now() + interval '40 days' THEN
        RETURN;
    END IF;
    FOREACH divided IN ARRAY ARRAY['record', 'run_record'] LOOP
        month := divided || to_char(first, '_YYYY_MM');
        CONTINUE WHEN to_regclass('mi_hub.' || month) IS NOT NULL;
        PERFORM pg_advisory_xact_lock(hashtext('mi_hub.make_month'));
        CONTINUE WHEN to_regclass('mi_hub.' || month) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE mi_hub.%I PARTITION OF mi_hub.%I FOR VALUES FROM (%L) TO (%L)',
                month, divided, first, first + interval '1 month');
        EXCEPTION WHEN check_violation OR invalid_object_definition THEN
            NULL;  -- what belongs there is among the others already, or in a month that was cut otherwise
        END;
    END LOOP;
END
$$;

-- What runs recorded is divided, too: all of a run is in the month in which it was queued.
ALTER TABLE mi_hub.run_record RENAME TO run_record_before;
ALTER TABLE mi_hub.run_record_before RENAME CONSTRAINT run_record_pkey TO run_record_before_pkey;
CREATE TABLE mi_hub.run_record (
    member text NOT NULL,  -- whose run it is
    run text NOT NULL,
    queued timestamptz NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    home text NOT NULL REFERENCES mi_hub.home,  -- that it worked in
    epoch bigint NOT NULL,
    taken timestamptz NOT NULL DEFAULT now(),
    body text NOT NULL CHECK (octet_length(body) <= 16777216 AND body LIKE '{%'),
    PRIMARY KEY (member, run, queued, seq)
) PARTITION BY RANGE (queued);
CREATE TABLE mi_hub.run_record_other PARTITION OF mi_hub.run_record DEFAULT;
SELECT mi_hub.make_month(month) FROM (
    SELECT DISTINCT date_trunc('month', added, 'UTC') AS month FROM mi_hub.run_record_before JOIN mi_hub.job USING (member, run)
) AS known;
INSERT INTO mi_hub.run_record (member, run, queued, seq, home, epoch, taken, body)
    SELECT member, run, added, before.seq, before.home, before.epoch, taken, body
    FROM mi_hub.run_record_before AS before JOIN mi_hub.job USING (member, run);
DROP TABLE mi_hub.run_record_before;
ALTER TABLE mi_hub.run_record ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON mi_hub.run_record FOR SELECT USING (
    member = (SELECT mi_hub.me()) OR EXISTS (
        SELECT FROM mi_hub.job WHERE job.member = run_record.member AND job.run = run_record.run
            AND job.claimer = (SELECT mi_hub.me()) AND job.state = 'running'
    )
);
GRANT SELECT ON mi_hub.run_record TO :everybody;

CREATE OR REPLACE FUNCTION mi_hub.push_run(of_token text, seqs bigint[], bodies text[]) RETURNS bigint
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
    PERFORM make_month(held.added);
    INSERT INTO run_record (member, run, queued, seq, home, epoch, body)
        SELECT held.member, held.run, held.added, seq, held.home, held.epoch, body
        FROM unnest(seqs, bodies) AS given (seq, body) ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS count = ROW_COUNT;
    RETURN count;
END
$$;

-- How large logs are of which nothing is shared is nobody else's business, nor are those for one's own devices.
DROP POLICY seen ON mi_hub.log;
CREATE POLICY seen ON mi_hub.log FOR SELECT USING (
    home IN (SELECT home.id FROM mi_hub.home WHERE home.member = (SELECT mi_hub.me()))
    OR ((SELECT mi_hub.me()) IS NOT NULL AND seq > 0 AND path NOT LIKE '%#mine')
);
