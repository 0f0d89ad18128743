-- Why: the rules under which mail leaves an inbox, and what is held until somebody decides.
-- Lock: a short one on inboxes and operations for the foreign keys. Half-way roll-out: nothing reads it yet, and without
-- a row nothing is ruled.

create table send_policies (
  tenant_id uuid not null,
  inbox_id uuid not null,
  -- Null: every key. The rules of the inbox and those of a key hold together.
  principal_id text check (length(principal_id) between 1 and 100),
  -- Null: not ruled here. Every rule must allow a recipient; an empty list allows nobody.
  recipient_rules jsonb check (jsonb_typeof(recipient_rules) = 'array' and length(recipient_rules::text) <= 500000),
  sends_per_day integer check (sends_per_day >= 0),
  send_approval boolean not null default false,
  bulk_review boolean not null default false,
  updated_at timestamptz not null,
  foreign key (tenant_id, inbox_id) references inboxes on delete cascade,
  unique nulls not distinct (tenant_id, inbox_id, principal_id)
);

alter table send_policies enable row level security;
alter table send_policies force row level security;
create policy tenant_isolation on send_policies
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert, delete on send_policies to postern_app;
grant update (recipient_rules, sends_per_day, send_approval, bulk_review, updated_at) on send_policies to postern_app;

-- When a send was let through, so that as many of a day pass as may. Those let through are few beside all writes.
alter table operations add column counted_at timestamptz;
create index operations_counted on operations (tenant_id, principal_id, inbox_id, counted_at) where counted_at is not null;
grant update (counted_at) on operations to postern_app;

create table approvals (
  tenant_id uuid not null,
  approval_id text not null check (length(approval_id) between 1 and 40),
  operation_id text not null,
  inbox_id uuid not null,
  principal_id text not null check (length(principal_id) between 1 and 100),
  kind text not null check (kind in ('send', 'bulk')),
  -- Of what is held; what is approved is this and nothing else.
  digest bytea not null check (length(digest) = 32),
  -- `closed`: what was decided, or the time that ran out, has been carried out, and what was held is gone.
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  closed_at timestamptz,
  held_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text check (length(decided_by) between 1 and 200),
  reason text check (length(reason) between 1 and 1000),
  primary key (tenant_id, approval_id),
  foreign key (tenant_id, operation_id) references operations on delete cascade,
  foreign key (tenant_id, inbox_id) references inboxes on delete cascade
);

create index approvals_by_operation on approvals (tenant_id, operation_id);
create index approvals_by_inbox on approvals (tenant_id, inbox_id);
create index approvals_open on approvals (expires_at) where closed_at is null;

alter table approvals enable row level security;
alter table approvals force row level security;
create policy tenant_isolation on approvals
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
-- What is due, before any tenant is named: ids only.
create policy system_reads on approvals for select to postern_system using (closed_at is null);
grant select (tenant_id, approval_id, status, expires_at, closed_at) on approvals to postern_system;

grant select, insert, delete on approvals to postern_app;
grant update (status, closed_at, decided_at, decided_by, reason) on approvals to postern_app;

-- What is held, sealed, in pieces of 1 MiB.
create table approval_pieces (
  tenant_id uuid not null,
  approval_id text not null,
  position integer not null check (position >= 0),
  envelope bytea not null check (length(envelope) <= 1200000),
  primary key (tenant_id, approval_id, position),
  foreign key (tenant_id, approval_id) references approvals on delete cascade
);

alter table approval_pieces enable row level security;
alter table approval_pieces force row level security;
create policy tenant_isolation on approval_pieces
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert, delete on approval_pieces to postern_app;
