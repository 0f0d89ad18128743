-- Why: the ledger. Each write claims a row before it acts, so that a repeated call finds what came of the first one, and
-- a process that died leaves behind how far it had come.
-- Lock: a short one on tenants for the foreign key. Half-way roll-out: nothing reads it yet.

create table operations (
  tenant_id uuid not null references tenants on delete cascade,
  operation_id text not null check (length(operation_id) between 1 and 40),
  principal_id text not null check (length(principal_id) between 1 and 100),
  operation text not null check (length(operation) between 1 and 100),
  -- No foreign key: the record of what was done to an inbox outlives it.
  inbox_id uuid,
  -- Under the subkey that hmac_key_id names, so that neither a key nor an argument can be guessed from a copy.
  key_hmac bytea check (length(key_hmac) = 32),
  digest_hmac bytea not null check (length(digest_hmac) = 32),
  hmac_key_id text not null check (length(hmac_key_id) between 1 and 32),
  stage text not null default 'claim' check (length(stage) <= 40),
  -- Null while it runs.
  outcome text check (length(outcome) between 1 and 40),
  fault_code text check (length(fault_code) <= 60),
  lease_owner text not null check (length(lease_owner) between 1 and 60),
  lease_until timestamptz not null,
  result jsonb check (jsonb_typeof(result) = 'object' and length(result::text) <= 20000),
  rfc_message_id text check (length(rfc_message_id) <= 998),
  resolution jsonb check (jsonb_typeof(resolution) = 'object' and length(resolution::text) <= 4000),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  resolved_at timestamptz,
  undone_at timestamptz,
  primary key (tenant_id, operation_id)
);

-- A repeated call looks for the newest with its key, a keyless one for a twin of its arguments.
create index operations_by_key on operations (tenant_id, principal_id, operation, key_hmac, created_at)
  where key_hmac is not null;
create index operations_by_digest on operations (tenant_id, principal_id, operation, digest_hmac, created_at);
-- The net under the lock of a claim: one call of a key acts at a time.
create unique index operations_running on operations (tenant_id, principal_id, operation, key_hmac)
  where outcome is null and key_hmac is not null;
create index operations_by_age on operations (tenant_id, created_at);

alter table operations enable row level security;
alter table operations force row level security;
create policy tenant_isolation on operations
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert, delete on operations to postern_app;
-- Who did what, with which arguments, is fixed by the claim.
grant update (
  stage, outcome, fault_code, lease_owner, lease_until, result, rfc_message_id, resolution, updated_at, resolved_at,
  undone_at
) on operations to postern_app;

-- One row for each message of a write: where it was and where it is.
create table operation_items (
  tenant_id uuid not null,
  operation_id text not null,
  position integer not null check (position >= 0),
  before_locator bytea check (length(before_locator) <= 64),
  after_locator bytea check (length(after_locator) <= 64),
  status text not null check (status in ('done', 'failed', 'unknown', 'unchanged')),
  primary key (tenant_id, operation_id, position),
  foreign key (tenant_id, operation_id) references operations on delete cascade
);

alter table operation_items enable row level security;
alter table operation_items force row level security;
create policy tenant_isolation on operation_items
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert on operation_items to postern_app;
grant update (after_locator, status) on operation_items to postern_app;
