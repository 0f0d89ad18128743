-- Why: files that a caller puts here to attach them, sealed in pieces of 1 MiB; a file that is being written has no
-- header yet. Links to files count their uses here, so that every gateway counts the same.
-- Lock: a short one on tenants for the foreign keys. Half-way roll-out: nothing reads them yet.

create table sealed_files (
  tenant_id uuid not null references tenants on delete cascade,
  file_id text not null check (length(file_id) between 1 and 40),
  principal_id text not null check (length(principal_id) between 1 and 100),
  -- What may become of it at most, until it is known; then what it is.
  size_bytes integer not null check (size_bytes >= 0),
  -- Name, type and digest, sealed; null while it is being written.
  header bytea check (length(header) <= 8192),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant_id, file_id)
);

create index sealed_files_by_expiry on sealed_files (expires_at);

create table sealed_chunks (
  tenant_id uuid not null,
  file_id text not null,
  position integer not null check (position >= 0),
  envelope bytea not null check (length(envelope) <= 1050000),
  primary key (tenant_id, file_id, position),
  foreign key (tenant_id, file_id) references sealed_files on delete cascade
);

-- Sealed octets do not shrink.
alter table sealed_chunks alter column envelope set storage external;

create table download_links (
  tenant_id uuid not null references tenants on delete cascade,
  link_id bytea not null check (length(link_id) = 16),
  principal_id text not null check (length(principal_id) between 1 and 100),
  inbox_id uuid not null,
  message_id text not null check (length(message_id) between 1 and 512),
  -- Null is the stored message itself.
  part_id text check (length(part_id) <= 200),
  uses_left integer not null check (uses_left >= 0),
  expires_at timestamptz not null,
  primary key (tenant_id, link_id),
  foreign key (tenant_id, inbox_id) references inboxes on delete cascade
);

create index download_links_by_inbox on download_links (tenant_id, inbox_id);
create index download_links_by_expiry on download_links (expires_at);

alter table sealed_files enable row level security;
alter table sealed_files force row level security;
create policy tenant_isolation on sealed_files
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

alter table sealed_chunks enable row level security;
alter table sealed_chunks force row level security;
create policy tenant_isolation on sealed_chunks
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

alter table download_links enable row level security;
alter table download_links force row level security;
create policy tenant_isolation on download_links
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert, delete, update (size_bytes, header, expires_at) on sealed_files to postern_app;
grant select, insert, delete on sealed_chunks to postern_app;
grant select, insert, delete, update (uses_left) on download_links to postern_app;

-- Whose files and links are over, before any tenant is named: no more than which tenants to look at.
create policy system_reads on sealed_files for select to postern_system using (true);
grant select (tenant_id, expires_at) on sealed_files to postern_system;
create policy system_reads on download_links for select to postern_system using (true);
grant select (tenant_id, expires_at) on download_links to postern_system;
