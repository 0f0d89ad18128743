-- Why: the sealed secret of an inbox, apart from the inbox so that a list never touches it.
-- Lock: a short one on inboxes for the foreign key. Half-way roll-out: nothing reads it yet.

create table credentials (
  tenant_id uuid not null,
  inbox_id uuid not null,
  purpose text not null check (length(purpose) between 1 and 40),
  version integer not null check (version > 0),
  envelope bytea not null check (length(envelope) <= 65536),
  -- Names the key of the ring that wraps the data key, so that a rotation finds what it has still to move.
  key_id text not null check (length(key_id) between 1 and 32),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, inbox_id, purpose),
  foreign key (tenant_id, inbox_id) references inboxes on delete cascade
);

alter table credentials enable row level security;
alter table credentials force row level security;
create policy tenant_isolation on credentials
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert, update, delete on credentials to postern_app;
