-- The queue of runs. procrastinate's tables, in a schema of their own, hold one row for each stretch that is to be worked
-- on: ids only, by which it decides who is next (priority, schedule, locks). What a run is about stands in mi_hub.job.
-- Members have no right on procrastinate's tables, and change nothing here but by the functions below, which run as the
-- owner, one for each thing that a queue is asked for.

CREATE SCHEMA mi_procrastinate;
SET LOCAL search_path = mi_procrastinate;
:procrastinate_schema
-- Nobody listens to procrastinate's own channels, whose names would be too long for some members.
ALTER TABLE procrastinate_jobs DISABLE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1;
CREATE INDEX mi_stretch_lock ON procrastinate_jobs (lock) WHERE status IN ('todo', 'doing');
SET LOCAL search_path TO DEFAULT;

CREATE TABLE mi_hub.procrastinate (version text NOT NULL, applied timestamptz NOT NULL DEFAULT now());
INSERT INTO mi_hub.procrastinate (version) VALUES (':procrastinate_version');

CREATE SEQUENCE mi_hub.job_seq;
CREATE TABLE mi_hub.job (
    member text NOT NULL REFERENCES mi_hub.member,  -- whose run it is
    run text NOT NULL CHECK (run ~ '^[A-Za-z0-9_-]{1,60}$'),
    seq bigint NOT NULL DEFAULT nextval('mi_hub.job_seq'),  -- the order of what is queued
    task text NOT NULL DEFAULT '' CHECK (octet_length(task) <= 1048576),
    project text NOT NULL DEFAULT '',
    root text NOT NULL DEFAULT '',  -- where the project is
    agent text NOT NULL DEFAULT '' CHECK (length(agent) <= 64),
    priority int NOT NULL DEFAULT 0,
    asked_for float8 NOT NULL DEFAULT 0,
    lock text NOT NULL DEFAULT '',
    same text NOT NULL DEFAULT '',
    list_task text NOT NULL DEFAULT '',
    options text NOT NULL DEFAULT '' CHECK (octet_length(options) <= 1048576),
    for_others boolean NOT NULL DEFAULT false,  -- whether workers of members that offer it may take it
    state text NOT NULL DEFAULT 'queued' CHECK (state IN
        ('queued', 'running', 'waiting', 'done', 'failed', 'blocked', 'stopped', 'cancelled', 'outside')),
    stretch int NOT NULL DEFAULT 1,
    pending int NOT NULL DEFAULT 0,
    not_before float8 NOT NULL DEFAULT 0,
    reason text NOT NULL DEFAULT '',
    cuts int NOT NULL DEFAULT 0,
    noted text NOT NULL DEFAULT '',
    woken boolean NOT NULL DEFAULT false,
    cancelled boolean NOT NULL DEFAULT false,
    epoch bigint NOT NULL DEFAULT 0,  -- how often it was claimed: who holds an older claim holds none
    token text UNIQUE,  -- of the claim that stands
    ended text NOT NULL DEFAULT '',  -- the token of the claim that was given back last
    stretch_id bigint,  -- procrastinate's, of the claim that stands
    claimer text NOT NULL DEFAULT '',  -- the member whose worker claimed it last
    home text NOT NULL DEFAULT '',  -- of that worker
    former text[] NOT NULL DEFAULT '{}',  -- homes that claimed it before
    worker text NOT NULL DEFAULT '',
    heartbeat timestamptz NOT NULL DEFAULT now(),
    spent_usd float8 NOT NULL DEFAULT 0,
    spent_tokens bigint NOT NULL DEFAULT 0,
    counted text NOT NULL DEFAULT '',  -- what was counted last, so that it is counted once
    added timestamptz NOT NULL DEFAULT now(),
    changed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (member, run)
);
CREATE INDEX job_state ON mi_hub.job (member, state, seq);
CREATE INDEX job_running ON mi_hub.job (claimer) WHERE state = 'running';
CREATE INDEX job_run ON mi_hub.job (run) WHERE home <> '';
CREATE UNIQUE INDEX job_same ON mi_hub.job (member, same)
    WHERE same <> '' AND state IN ('queued', 'running', 'waiting');

CREATE TABLE mi_hub.dependency (
    member text NOT NULL,
    after_run text NOT NULL,
    run text NOT NULL,
    PRIMARY KEY (member, after_run, run)
);
CREATE INDEX dependency_run ON mi_hub.dependency (member, run);

-- The names of procrastinate's queues: one for each member and agent, and one more for what others may take.
CREATE TABLE mi_hub.lane (
    name text PRIMARY KEY,
    member text NOT NULL REFERENCES mi_hub.member,
    agent text NOT NULL,
    for_others boolean NOT NULL
);

CREATE TABLE mi_hub.pause (
    member text NOT NULL REFERENCES mi_hub.member,
    agent text NOT NULL,
    until float8 NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (member, agent)
);

CREATE TABLE mi_hub.spending (
    member text NOT NULL REFERENCES mi_hub.member,  -- whose worker spent it
    day date NOT NULL,
    agent text NOT NULL,
    usd float8 NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (member, day, agent)
);

-- What is locked by whoever changes the queue; it holds nothing.
CREATE TABLE mi_hub.turn ();

-- Parts of the functions below; no member can call them.

-- The member who asks, once it is their turn to change the queue: one after another, so that nothing can block itself.
CREATE FUNCTION mi_hub.take_turn() RETURNS text
LANGUAGE plpgsql SET search_path = mi_hub, pg_temp SET lock_timeout = '20s' AS $$
DECLARE
    me text := mi_hub.me();
BEGIN
    IF me IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s is no member', session_user);
    END IF;
    LOCK TABLE turn IN EXCLUSIVE MODE;
    RETURN me;
END
$$;

CREATE FUNCTION mi_hub.name_lane(owner text, agent text, for_others boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT owner || CASE WHEN for_others THEN '+/' ELSE '/' END || agent $$;

-- Give the next stretch of runs to procrastinate.
CREATE FUNCTION mi_hub.begin_stretches(owner text, runs text[]) RETURNS void
LANGUAGE plpgsql SET search_path = mi_hub, mi_procrastinate, pg_temp AS $$
BEGIN
    IF cardinality(runs) > 0 THEN
        PERFORM procrastinate_defer_jobs_v1(array_agg(ROW(
            mi_hub.name_lane(owner, agent, for_others), 'mi.stretch', priority,
            owner || '/' || nullif(lock, ''), owner || '/' || run, jsonb_build_object('run', run),
            CASE WHEN not_before > extract(epoch FROM now()) THEN to_timestamp(not_before) END
        )::procrastinate_job_to_defer_v1 ORDER BY seq)) FROM job WHERE member = owner AND run = ANY (runs);
        PERFORM pg_notify('mi_hub_queue', owner);
    END IF;
END
$$;

-- Take back the stretch of a run that nobody has claimed.
CREATE FUNCTION mi_hub.withdraw_stretch(owner text, of_run text) RETURNS void
LANGUAGE sql SET search_path = mi_hub, mi_procrastinate, pg_temp AS $$
    SELECT procrastinate_cancel_job_v1(id, false, true) FROM procrastinate_jobs
    WHERE queueing_lock = owner || '/' || of_run AND status = 'todo'
$$;

-- End the stretch of a claim; one that was taken away with procrastinate's own tools has ended already.
CREATE FUNCTION mi_hub.end_stretch(id_of_stretch bigint) RETURNS void
LANGUAGE sql SET search_path = mi_hub, mi_procrastinate, pg_temp AS $$
    SELECT procrastinate_finish_job_v1(id, 'succeeded', true) FROM procrastinate_jobs
    WHERE id = id_of_stretch AND status = 'doing'
$$;

-- Have what comes after a run wait for it no more.
CREATE FUNCTION mi_hub.settle_dependants(owner text, of_run text) RETURNS void
LANGUAGE plpgsql SET search_path = mi_hub, pg_temp AS $$
DECLARE
    ready text[];
BEGIN
    WITH changed AS (
        UPDATE job SET pending = pending - 1, seq = nextval('mi_hub.job_seq') FROM dependency
        WHERE dependency.member = owner AND after_run = of_run AND job.member = owner AND job.run = dependency.run
            AND pending > 0
        RETURNING job.run, job.pending, job.state
    )
    SELECT array_agg(run) INTO ready FROM changed WHERE pending = 0 AND state = 'queued';
    PERFORM mi_hub.begin_stretches(owner, ready);
END
$$;

CREATE FUNCTION mi_hub.release_job(one mi_hub.job, why text, delay_s float8, is_cut boolean) RETURNS void
LANGUAGE plpgsql SET search_path = mi_hub, mi_procrastinate, pg_temp AS $$
DECLARE
    moment timestamptz := CASE WHEN delay_s > 0 THEN clock_timestamp() + delay_s * interval '1 second' END;
BEGIN
    UPDATE job SET state = CASE WHEN one.cancelled THEN 'cancelled' ELSE 'queued' END, reason = why,
        not_before = coalesce(extract(epoch FROM moment), 0), cuts = cuts + is_cut::int, cancelled = false,
        token = NULL, ended = one.token, stretch_id = NULL, worker = '', changed = now()
        WHERE member = one.member AND run = one.run;
    IF one.cancelled THEN
        PERFORM mi_hub.end_stretch(one.stretch_id);
    ELSIF EXISTS (SELECT FROM procrastinate_jobs WHERE id = one.stretch_id AND status = 'doing') THEN
        PERFORM procrastinate_retry_job_v2(one.stretch_id, moment, NULL, NULL, NULL);
    ELSE
        PERFORM mi_hub.begin_stretches(one.member, ARRAY[one.run]);
    END IF;
    PERFORM pg_notify('mi_hub_queue', one.member);
END
$$;

CREATE FUNCTION mi_hub.count_spending(one mi_hub.job, by_member text, on_day date, of_agent text, more_usd float8,
    more_tokens bigint) RETURNS void
LANGUAGE plpgsql SET search_path = mi_hub, pg_temp AS $$
BEGIN
    UPDATE job SET spent_usd = spent_usd + more_usd, spent_tokens = spent_tokens + more_tokens
        WHERE member = one.member AND run = one.run;
    INSERT INTO spending AS had (member, day, agent, usd, tokens)
        VALUES (by_member, on_day, of_agent, more_usd, more_tokens)
        ON CONFLICT (member, day, agent) DO UPDATE SET usd = had.usd + more_usd, tokens = had.tokens + more_tokens;
END
$$;

-- Queue the next stretch of a run; `other` is the run that has the same task open, for which it is refused.
CREATE FUNCTION mi_hub.wake_job(owner text, of_run text, states text[], OUT is_woken boolean, OUT other text)
LANGUAGE plpgsql SET search_path = mi_hub, pg_temp AS $$
DECLARE
    one job%ROWTYPE;
BEGIN
    is_woken := false;
    SELECT * INTO one FROM job WHERE member = owner AND run = of_run;
    SELECT job.run INTO other FROM job WHERE member = owner AND same = one.same AND same <> '' AND job.run <> of_run
        AND state IN ('queued', 'running', 'waiting');
    IF other IS NOT NULL THEN
        RETURN;
    END IF;
    IF one.state = ANY (states) AND one.state NOT IN ('running', 'outside') THEN
        PERFORM mi_hub.withdraw_stretch(owner, of_run);
        UPDATE job SET state = 'queued', stretch = stretch + 1, not_before = 0, reason = '', cuts = 0,
            seq = nextval('mi_hub.job_seq'), changed = now() WHERE member = owner AND run = of_run;
        IF one.pending = 0 THEN
            PERFORM mi_hub.begin_stretches(owner, ARRAY[of_run]);
        END IF;
        is_woken := true;
    ELSIF one.state = 'running' OR (one.state = 'queued' AND one.cuts > 0) THEN
        -- one that was cut off may have asked before: that end is noted by the next worker
        UPDATE job SET woken = true WHERE member = owner AND run = of_run;
        is_woken := true;
    END IF;
END
$$;

-- What a queue is asked for. `again`: the same was asked before, and the answer was lost on the way.

-- Put tasks in; gives the numbers of those that are open already, and the runs that have them. Each is looked up by
-- index: a plan for a table that has just grown would read all of it.
CREATE FUNCTION mi_hub.put(tasks jsonb, may_others boolean) RETURNS TABLE (number bigint, other text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    me text := mi_hub.take_turn();
    refused bigint[];
    others text[];
    fresh text[];
BEGIN
    WITH given AS (
        SELECT value ->> 'run_id' AS run, value ->> 'same' AS same, number
        FROM jsonb_array_elements(tasks) WITH ORDINALITY AS given (value, number)
    ), told AS (
        SELECT *, coalesce((SELECT state FROM job WHERE member = me AND job.run = given.run), 'outside') = 'outside'
            AS is_new
        FROM given WHERE same <> ''
    ), ranked AS (  -- with the first new one of those that are the same
        SELECT *, first_value(run) OVER same_ones AS first_run, first_value(number) OVER same_ones AS first_number,
            first_value(is_new) OVER same_ones AS is_first_new
        FROM told WINDOW same_ones AS (PARTITION BY same ORDER BY is_new DESC, number)
    ), found AS (
        SELECT number, run, coalesce(
            (SELECT job.run FROM job WHERE member = me AND job.same = ranked.same AND job.same <> ''
                AND state IN ('queued', 'running', 'waiting')),
            CASE WHEN is_first_new AND first_number < number THEN first_run END) AS other
        FROM ranked
    )
    SELECT coalesce(array_agg(number ORDER BY number), '{}'), array_agg(other ORDER BY number) INTO refused, others
        FROM found WHERE other <> run;

    WITH given AS (
        SELECT one.*, number FROM jsonb_array_elements(tasks) WITH ORDINALITY AS given (value, number),
            jsonb_to_record(value) AS one (run_id text, task text, project_id text, root text, agent text,
                priority int, not_before float8, lock text, same text, list_task text, options text)
    ), kept AS (
        SELECT DISTINCT ON (run_id) * FROM given WHERE number <> ALL (refused) ORDER BY run_id, number
    ), added AS (
        INSERT INTO job (member, run, task, project, root, agent, priority, asked_for, not_before, lock, same, list_task,
            options, for_others)
        SELECT me, run_id, task, project_id, root, agent, priority, not_before, not_before, lock, same, list_task,
            options, may_others FROM kept ORDER BY number
        ON CONFLICT (member, run) DO UPDATE SET task = excluded.task, project = excluded.project,
            root = excluded.root, agent = excluded.agent, priority = excluded.priority,
            asked_for = excluded.asked_for, not_before = excluded.not_before, lock = excluded.lock,
            same = excluded.same, list_task = excluded.list_task, options = excluded.options,
            for_others = excluded.for_others, seq = excluded.seq, state = 'queued', reason = ''
            WHERE job.state = 'outside'
        RETURNING run
    )
    SELECT coalesce(array_agg(run), '{}') INTO fresh FROM added;

    IF jsonb_path_exists(tasks, '$[*].after[*]') THEN
        WITH pairs AS (
            SELECT DISTINCT given.value ->> 'run_id' AS run, given.value ->> 'project_id' AS project, after_run
            FROM jsonb_array_elements(tasks) WITH ORDINALITY AS given (value, number),
                jsonb_array_elements_text(given.value -> 'after') AS former (after_run)
            WHERE given.value ->> 'run_id' = ANY (fresh) AND number <> ALL (refused)
        ), outside AS (
            INSERT INTO job (member, run, project, state) SELECT me, after_run, project, 'outside' FROM pairs
                ON CONFLICT DO NOTHING
        )
        INSERT INTO dependency SELECT me, after_run, run FROM pairs ON CONFLICT DO NOTHING;
        UPDATE job SET pending = (
            SELECT count(*) FROM dependency JOIN job AS former
                ON former.member = me AND former.run = dependency.after_run AND 'done' NOT IN (former.state, former.reason)
            WHERE dependency.member = me AND dependency.run = job.run
        ) WHERE member = me AND run = ANY (fresh) AND EXISTS (
            SELECT FROM dependency WHERE dependency.member = me AND dependency.run = job.run);
    END IF;
    INSERT INTO lane SELECT DISTINCT mi_hub.name_lane(me, agent, may_others), me, agent, may_others
        FROM job WHERE member = me AND run = ANY (fresh) ON CONFLICT DO NOTHING;
    PERFORM mi_hub.begin_stretches(me, ARRAY(SELECT run FROM job WHERE member = me AND run = ANY (fresh) AND pending = 0));
    RETURN QUERY SELECT * FROM unnest(refused, others);
END
$$;

-- Take the next job that may run. The token is the caller's: one who did not hear the answer asks again with the same.
-- procrastinate looks for it in the order of its index; a plan that sorts all that waits would be taken for a small table.
CREATE FUNCTION mi_hub.claim(of_token text, of_home text, of_worker text, most int, most_of jsonb, held text[],
    default_agent text, only_run text) RETURNS SETOF mi_hub.job
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, mi_procrastinate, pg_temp
SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    me text := mi_hub.take_turn();
    moment float8 := extract(epoch FROM clock_timestamp());
    lanes text[];
    lanes_of_others text[];
    taken procrastinate_jobs;
    only_id bigint;
    only_lane text;
BEGIN
    IF NOT EXISTS (SELECT FROM home WHERE id = of_home AND member = me) THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s is no home of %s', of_home, session_user);
    END IF;
    RETURN QUERY SELECT * FROM job WHERE token = of_token AND claimer = me AND state = 'running';
    IF FOUND OR (SELECT count(*) FROM job WHERE claimer = me AND state = 'running') >= most THEN
        RETURN;
    END IF;
    SELECT array_agg(lane.name) FILTER (WHERE lane.member = me), array_agg(lane.name) FILTER (WHERE lane.member <> me)
        INTO lanes, lanes_of_others FROM lane
        JOIN member ON member.name = lane.member AND removed IS NULL
        CROSS JOIN LATERAL (SELECT coalesce(nullif(lane.agent, ''), default_agent) AS agent) AS meant
        WHERE (lane.member = me OR (lane.for_others AND (SELECT offers FROM member WHERE name = me)))
        AND meant.agent <> ALL (held)
        AND NOT EXISTS (SELECT FROM pause WHERE pause.member = me AND pause.agent = meant.agent AND until > moment)
        AND (NOT most_of ? meant.agent OR (most_of ->> meant.agent)::int > (
            SELECT count(*) FROM job WHERE claimer = me AND state = 'running'
                AND coalesce(nullif(job.agent, ''), default_agent) = meant.agent));
    IF only_run <> '' THEN
        UPDATE procrastinate_jobs SET queue_name = 'only/' || old.id FROM procrastinate_jobs AS old
            WHERE old.id = procrastinate_jobs.id AND old.queueing_lock = me || '/' || only_run AND old.status = 'todo'
            AND old.queue_name = ANY (lanes)
            RETURNING old.id, old.queue_name INTO only_id, only_lane;
        lanes := ARRAY['only/' || only_id];
        lanes_of_others := NULL;
    END IF;
    IF lanes IS NOT NULL THEN  -- to procrastinate that would mean all
        SELECT * INTO taken FROM procrastinate_fetch_job_v2(lanes, NULL);
    END IF;
    IF taken.id IS NULL AND lanes_of_others IS NOT NULL THEN  -- own runs go first, whatever priority others give theirs
        SELECT * INTO taken FROM procrastinate_fetch_job_v2(lanes_of_others, NULL);
    END IF;
    UPDATE procrastinate_jobs SET queue_name = only_lane WHERE id = only_id;
    IF taken.id IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY UPDATE job SET state = 'running', token = of_token, stretch_id = taken.id, claimer = me,
        former = CASE WHEN home IN ('', of_home) OR home = ANY (former) THEN former ELSE former || home END,
        home = of_home, worker = of_worker, heartbeat = clock_timestamp(), changed = now(), reason = '',
        epoch = epoch + 1
        WHERE member = split_part(taken.queueing_lock, '/', 1) AND run = taken.args ->> 'run'
            AND (state = 'queued') IS TRUE  -- not by the index of states: that would read all that is queued
        RETURNING *;
    IF NOT FOUND THEN  -- nothing of ours: made with procrastinate's own tools
        PERFORM procrastinate_finish_job_v1(taken.id, 'failed', false);
    END IF;
END
$$;

CREATE FUNCTION mi_hub.heartbeat(of_token text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    is_cancelled boolean;
BEGIN
    UPDATE job SET heartbeat = clock_timestamp() WHERE token = of_token AND claimer = mi_hub.me()
        RETURNING cancelled INTO is_cancelled;
    RETURN CASE WHEN NOT FOUND THEN 'lost' WHEN is_cancelled THEN 'cancelled' ELSE 'held' END;
END
$$;

CREATE FUNCTION mi_hub.finish(of_token text, end_state text, why text, delay_s float8, event text, of_agent text,
    usd float8, used bigint, on_day date, again boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
    one job%ROWTYPE;
    new_state text;
    goes_on boolean;
BEGIN
    SELECT * INTO one FROM job WHERE token = of_token AND claimer = me;
    IF NOT FOUND THEN
        RETURN again AND EXISTS (SELECT FROM job WHERE ended = of_token AND claimer = me);
    END IF;
    new_state := CASE WHEN one.cancelled AND end_state <> 'done' THEN 'cancelled' ELSE end_state END;
    goes_on := new_state = 'queued' OR (new_state IN ('waiting', 'blocked') AND one.woken);
    PERFORM mi_hub.count_spending(one, me, on_day, of_agent, greatest(0, coalesce(usd, 0) - one.spent_usd),
        greatest(0, coalesce(used, 0) - one.spent_tokens));
    UPDATE job SET state = CASE WHEN goes_on THEN 'queued' ELSE new_state END, reason = why,
        not_before = CASE WHEN delay_s > 0 THEN extract(epoch FROM clock_timestamp()) + delay_s ELSE 0 END,
        noted = event, stretch = stretch + goes_on::int, cuts = 0, woken = false, cancelled = false, token = NULL,
        ended = of_token, stretch_id = NULL, worker = '', changed = now(),
        seq = CASE WHEN goes_on THEN nextval('mi_hub.job_seq') ELSE seq END
        WHERE member = one.member AND run = one.run;
    PERFORM mi_hub.end_stretch(one.stretch_id);
    IF goes_on THEN
        PERFORM mi_hub.begin_stretches(one.member, ARRAY[one.run]);
    ELSIF new_state = 'done' THEN
        PERFORM mi_hub.settle_dependants(one.member, one.run);
    END IF;
    IF one.lock <> '' THEN
        PERFORM pg_notify('mi_hub_queue', one.member);
    END IF;
    RETURN true;
END
$$;

CREATE FUNCTION mi_hub.release(of_token text, why text, delay_s float8, is_cut boolean, again boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
    one job%ROWTYPE;
BEGIN
    SELECT * INTO one FROM job WHERE token = of_token AND claimer = me;
    IF NOT FOUND THEN
        RETURN again AND EXISTS (SELECT FROM job WHERE ended = of_token AND claimer = me);
    END IF;
    PERFORM mi_hub.release_job(one, why, delay_s, is_cut);
    RETURN true;
END
$$;

CREATE FUNCTION mi_hub.wake(of_run text, states text[], again boolean, OUT is_woken boolean, OUT other text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
BEGIN
    SELECT * INTO is_woken, other FROM mi_hub.wake_job(me, of_run, states);
    IF again AND NOT is_woken THEN
        is_woken := EXISTS (SELECT FROM job WHERE member = me AND run = of_run AND state = 'queued');
    END IF;
END
$$;

CREATE FUNCTION mi_hub.set_priority(of_run text, new_priority int) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, mi_procrastinate, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
BEGIN
    UPDATE job SET priority = new_priority WHERE member = me AND run = of_run AND state = 'queued';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE procrastinate_jobs SET priority = new_priority
        WHERE queueing_lock = me || '/' || of_run AND status = 'todo';
    RETURN true;
END
$$;

CREATE FUNCTION mi_hub.cancel(of_run text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
    old_state text := (SELECT state FROM job WHERE member = me AND run = of_run AND state <> 'outside');
BEGIN
    IF old_state = 'running' THEN
        UPDATE job SET cancelled = true WHERE member = me AND run = of_run;
        PERFORM pg_notify('mi_hub_queue', me);
    ELSIF old_state IN ('queued', 'waiting', 'blocked', 'failed', 'stopped') THEN
        UPDATE job SET state = 'cancelled', reason = '', changed = now() WHERE member = me AND run = of_run;
        PERFORM mi_hub.withdraw_stretch(me, of_run);
    END IF;
    RETURN old_state;
END
$$;

-- Release the claims of workers of a home that are gone, and of all that were silent for so long by the clock of the
-- server, since it runs: while it did not, nobody could say anything. `mends`: also compare with procrastinate's tables,
-- which somebody may have changed with its own tools: what is doing there and claimed by nobody ends, what is queued
-- here and not there is put there again.
CREATE FUNCTION mi_hub.sweep(of_home text, gone text[], silent_s float8, mends boolean) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, mi_procrastinate, pg_temp
SET enable_nestloop = off SET jit = off AS $$
DECLARE
    me text := mi_hub.take_turn();
    since timestamptz := clock_timestamp() - silent_s * interval '1 second';
    one job%ROWTYPE;
BEGIN
    FOR one IN SELECT * FROM job WHERE state = 'running' AND (member = me OR claimer = me) AND (
        (claimer = me AND home = of_home AND worker = ANY (gone))
        OR greatest(heartbeat, pg_postmaster_start_time()) < since)
    LOOP
        PERFORM mi_hub.release_job(one, '', 0, true);
        RETURN NEXT one.run;
    END LOOP;
    IF mends THEN
        PERFORM procrastinate_finish_job_v1(id, 'failed', false) FROM procrastinate_jobs WHERE status = 'doing'
            AND NOT EXISTS (SELECT FROM job WHERE state = 'running' AND stretch_id = procrastinate_jobs.id);
        PERFORM mi_hub.begin_stretches(me, ARRAY(
            SELECT run FROM job WHERE member = me AND state = 'queued' AND pending = 0 AND NOT EXISTS (
                SELECT FROM procrastinate_jobs WHERE queueing_lock = me || '/' || run AND status = 'todo')));
    END IF;
END
$$;

CREATE FUNCTION mi_hub.set_pause(of_agent text, until_s float8, why text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
BEGIN
    INSERT INTO pause VALUES (me, of_agent, until_s, why)
        ON CONFLICT (member, agent) DO UPDATE SET until = until_s, reason = why;
    PERFORM pg_notify('mi_hub_queue', me);
END
$$;

CREATE FUNCTION mi_hub.settle(of_run text, end_state text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
    one job%ROWTYPE;
BEGIN
    SELECT * INTO one FROM job WHERE member = me AND run = of_run AND state NOT IN ('running', 'done')
        AND NOT (state = 'outside' AND reason = 'done');
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM mi_hub.withdraw_stretch(me, of_run);
    UPDATE job SET state = CASE WHEN one.state = 'outside' THEN 'outside' ELSE end_state END,
        reason = CASE WHEN one.state = 'outside' THEN end_state ELSE '' END, changed = now()
        WHERE member = me AND run = of_run;
    IF end_state = 'done' THEN
        PERFORM mi_hub.settle_dependants(me, of_run);
    ELSIF end_state = 'queued' AND one.state <> 'outside' AND one.pending = 0 THEN
        PERFORM mi_hub.begin_stretches(me, ARRAY[of_run]);
    END IF;
END
$$;

CREATE FUNCTION mi_hub.spend(of_token text, of_agent text, usd float8, used bigint, on_day date, count_id text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
DECLARE
    me text := mi_hub.take_turn();
    one job%ROWTYPE;
BEGIN
    UPDATE job SET counted = count_id WHERE token = of_token AND claimer = me AND counted <> count_id
        RETURNING * INTO one;
    IF FOUND THEN
        PERFORM mi_hub.count_spending(one, me, on_day, of_agent, coalesce(usd, 0), coalesce(used, 0));
    END IF;
END
$$;

-- Push as before, but for records of a run that another home has: of one that it works on now, or took over from this
-- home. They are not taken; the runs are told.
DROP FUNCTION mi_hub.push(text, text, text, bigint, bigint, text, text, text, text, text, text, text);
CREATE FUNCTION mi_hub.push(
    of_home text, of_path text, of_project text, since bigint, upto bigint, new_mark text,
    reaches text, kinds text, runs text, times text, digests text, bodies text
) RETURNS TABLE (taken bigint, mark text, added bigint, lost_runs text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = mi_hub, pg_temp AS $$
#variable_conflict use_column
DECLARE
    me text := mi_hub.me();
    found_log log%ROWTYPE;
    month timestamptz;
    count bigint := 0;
    lost text[] := '{}';
BEGIN
    IF NOT EXISTS (SELECT FROM home WHERE id = of_home AND member = me) THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s is no home of %s', of_home, session_user);
    END IF;
    UPDATE home SET seen = now() WHERE id = of_home;
    INSERT INTO log (home, path, project) VALUES (of_home, of_path, of_project) ON CONFLICT DO NOTHING;
    SELECT * INTO found_log FROM log WHERE home = of_home AND path = of_path FOR UPDATE;
    IF found_log.taken <> since THEN
        RETURN QUERY SELECT found_log.taken, found_log.mark, -1::bigint, lost;
        RETURN;
    END IF;
    FOR month IN SELECT DISTINCT date_trunc('month', one::timestamptz, 'UTC')
        FROM unnest(string_to_array(times, E'\n')) AS one LOOP
        PERFORM make_month(month);
    END LOOP;
    IF runs ~ '[^\n]' THEN
        lost := ARRAY(SELECT DISTINCT run FROM job WHERE run = ANY (string_to_array(runs, E'\n'))
            AND home NOT IN ('', of_home) AND ((member = me AND state = 'running') OR of_home = ANY (former)));
    END IF;
    INSERT INTO record (log, seq, written, digest, reach, kind, run, body)
        SELECT found_log.id, found_log.seq + number, written::timestamptz, digest, reach, kind, coalesce(run, ''), body
        FROM unnest(string_to_array(reaches, E'\n'), string_to_array(kinds, E'\n'), string_to_array(runs, E'\n'),
            string_to_array(times, E'\n'), string_to_array(digests, E'\n'), string_to_array(bodies, E'\n'))
            WITH ORDINALITY AS given (reach, kind, run, written, digest, body, number)
        WHERE reach <> 'run' OR coalesce(run, '') <> ALL (lost)
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS count = ROW_COUNT;
    UPDATE log SET taken = upto, mark = new_mark, seq = log.seq + cardinality(string_to_array(bodies, E'\n'))
        WHERE id = found_log.id;
    IF count > 0 THEN
        PERFORM pg_notify('mi_hub', of_home);
    END IF;
    RETURN QUERY SELECT upto, new_mark, count, lost;
END
$$;

REVOKE ALL ON FUNCTION mi_hub.take_turn(), mi_hub.name_lane(text, text, boolean),
    mi_hub.begin_stretches(text, text[]), mi_hub.withdraw_stretch(text, text), mi_hub.end_stretch(bigint),
    mi_hub.settle_dependants(text, text), mi_hub.release_job(mi_hub.job, text, float8, boolean),
    mi_hub.count_spending(mi_hub.job, text, date, text, float8, bigint), mi_hub.wake_job(text, text, text[]) FROM PUBLIC;

ALTER TABLE mi_hub.procrastinate ENABLE ROW LEVEL SECURITY;
ALTER TABLE mi_hub.job ENABLE ROW LEVEL SECURITY;
ALTER TABLE mi_hub.dependency ENABLE ROW LEVEL SECURITY;
ALTER TABLE mi_hub.lane ENABLE ROW LEVEL SECURITY;
ALTER TABLE mi_hub.pause ENABLE ROW LEVEL SECURITY;
ALTER TABLE mi_hub.spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE mi_hub.turn ENABLE ROW LEVEL SECURITY;

-- Own jobs, those of others that own workers have, and those that they may take.
CREATE POLICY seen ON mi_hub.job FOR SELECT USING (
    member = (SELECT mi_hub.me()) OR (claimer = (SELECT mi_hub.me()) AND state = 'running')
    OR (for_others AND (SELECT offers FROM mi_hub.member WHERE name = mi_hub.me()))
);
CREATE POLICY own ON mi_hub.dependency FOR SELECT USING (member = (SELECT mi_hub.me()));
CREATE POLICY own ON mi_hub.pause FOR SELECT USING (member = (SELECT mi_hub.me()));
CREATE POLICY own ON mi_hub.spending FOR SELECT USING (member = (SELECT mi_hub.me()));

GRANT SELECT (member, run, seq, task, project, root, agent, priority, asked_for, lock, same, list_task, options,
    for_others, state, stretch, pending, not_before, reason, cuts, noted, epoch, claimer, home, worker, heartbeat, added,
    changed) ON mi_hub.job TO :everybody;
GRANT SELECT ON mi_hub.dependency, mi_hub.pause, mi_hub.spending TO :everybody;
