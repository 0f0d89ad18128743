-- Why: what a key may do, and the hash that proves it. Each call reads one row of it before the tenant is known.
-- Lock: a short one on tenants for the foreign key. Half-way roll-out: nothing reads it yet.

create table api_keys (
  tenant_id uuid not null references tenants on delete cascade,
  api_key_id text not null check (length(api_key_id) between 1 and 40),
  name text not null check (length(name) between 1 and 200),
  lookup text not null unique check (length(lookup) = 12),
  secret_hmac bytea not null check (length(secret_hmac) = 32),
  pepper_key_id text not null check (length(pepper_key_id) between 1 and 32),
  scopes text[] not null check (cardinality(scopes) <= 100),
  -- Null is every inbox, also a future one; empty is none. An id whose inbox is gone reaches nothing.
  inbox_ids uuid[] check (cardinality(inbox_ids) <= 1000),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, api_key_id)
);

alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy tenant_isolation on api_keys
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy system_reads on api_keys for select to postern_system using (true);

-- What a key may do is fixed when it is made; only its end and its use change.
grant select, insert, update (revoked_at, last_used_at) on api_keys to postern_app;
grant select (tenant_id, api_key_id, lookup, secret_hmac, pepper_key_id, scopes, inbox_ids, expires_at, revoked_at)
  on api_keys to postern_system;
