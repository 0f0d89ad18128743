-- Why: one row per call, allowed, denied or failed; partitioned by month so that old months are dropped, not deleted.
-- Lock: a short one on tenants for the foreign key. Half-way roll-out: nothing reads it yet.

create table audit_events (
  tenant_id uuid not null references tenants on delete cascade,
  at timestamptz not null,
  event_id text not null check (length(event_id) between 1 and 40),
  principal_id text check (length(principal_id) <= 100),
  -- No foreign key: the record of what was done to an inbox outlives it.
  inbox_id uuid,
  request_id text not null check (length(request_id) <= 100),
  operation text not null check (length(operation) <= 100),
  effect text not null check (effect in ('read', 'write', 'send', 'destroy')),
  outcome text not null check (outcome in ('ok', 'denied', 'failed')),
  fault_code text check (length(fault_code) <= 60),
  duration_ms integer not null check (duration_ms >= 0),
  primary key (tenant_id, at, event_id)
) partition by range (at);

alter table audit_events enable row level security;
alter table audit_events force row level security;
create policy tenant_isolation on audit_events
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

-- Through the parent only: a record is added and read, never changed.
grant select, insert on audit_events to postern_app;

-- The net: an event whose month has no partition yet is kept here.
create table audit_events_default partition of audit_events default;
alter table audit_events_default enable row level security;
alter table audit_events_default force row level security;
create policy tenant_isolation on audit_events_default
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

-- Makes the partition of the month that `day` lies in (UTC) and moves there what the default partition holds of it.
-- For the owner; every migration run calls it for the months ahead. False when the month has its partition.
create function make_audit_partition(day date) returns boolean
language plpgsql
set search_path = postern, pg_temp
as $$
declare
  month date := make_date(extract(year from day)::int, extract(month from day)::int, 1);
  name text := 'audit_events_' || to_char(month, 'YYYY_MM');
  low timestamptz := month::timestamp at time zone 'UTC';
  high timestamptz := (month + interval '1 month')::timestamp at time zone 'UTC';
begin
  if to_regclass(name) is not null then
    return false;
  end if;
  lock table audit_events_default in access exclusive mode;
  execute format('create table %I (like audit_events including defaults including constraints including indexes)', name);
  execute format('alter table %I enable row level security', name);
  execute format(
    'create policy tenant_isolation on %I using (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)',
    name
  );
  -- A forced policy hides every row from the owner as well; the lock above keeps everybody else out meanwhile.
  alter table audit_events_default no force row level security;
  execute format(
    'with moved as (delete from audit_events_default where at >= %L and at < %L returning *) insert into %I select * from moved',
    low, high, name
  );
  alter table audit_events_default force row level security;
  execute format('alter table %I force row level security', name);
  execute format('alter table audit_events attach partition %I for values from (%L) to (%L)', name, low, high);
  return true;
end
$$;

revoke execute on function make_audit_partition(date) from public;
