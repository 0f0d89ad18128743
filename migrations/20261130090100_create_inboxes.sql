-- Why: one row per connected mailbox, the unit of access.
-- Lock: none on existing tables but a short one on tenants for the foreign key. Half-way roll-out: nothing reads it yet.

create table inboxes (
  tenant_id uuid not null references tenants on delete cascade,
  inbox_id uuid not null,
  provider text not null check (length(provider) between 1 and 40),
  service text check (length(service) between 1 and 80),
  email_address text not null check (length(email_address) between 3 and 320),
  display_name text check (length(display_name) between 1 and 200),
  aliases text[] not null default '{}' check (cardinality(aliases) <= 100),
  status text not null default 'connected'
    check (status in ('connected', 'connecting', 'reconnect_required', 'disabled')),
  status_reason text check (length(status_reason) <= 500),
  timezone text not null default 'UTC' check (length(timezone) between 1 and 64),
  language text not null default 'en' check (length(language) between 2 and 35),
  folder_roles jsonb not null default '{}' check (jsonb_typeof(folder_roles) = 'object'),
  authserv_ids text[] not null default '{}' check (cardinality(authserv_ids) <= 20),
  credential_version integer not null default 0 check (credential_version >= 0),
  last_sync_at timestamptz,
  last_event_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, inbox_id)
);

-- A mailbox is connected once per tenant; connecting it again is a reconnection.
create unique index inboxes_by_address on inboxes (tenant_id, lower(email_address));

alter table inboxes enable row level security;
alter table inboxes force row level security;
create policy tenant_isolation on inboxes
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert, update, delete on inboxes to postern_app;
