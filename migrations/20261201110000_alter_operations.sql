-- Why: the process that starts again ends the leases that its predecessor left; a look at what is unknown is taken at
-- most every 30 s, by whoever is first; an undo that came to nothing may be tried again.
-- Lock: exclusive on operations for a moment, and no write to it while the index is built over what runs just then.
-- Half-way roll-out: the release before does not know the columns and leaves them empty.

alter table operations
  add column checked_at timestamptz,
  -- The operation that undid this one. No foreign key: it is forgotten later than this one, never earlier.
  add column undone_by text check (length(undone_by) between 1 and 40);

create index operations_leased on operations (lease_owner) where outcome is null;

grant update (checked_at, undone_by) on operations to postern_app;

-- Whose leases are left, before any tenant is named: no more than which tenants to look at.
create policy system_reads on operations for select to postern_system using (outcome is null);
grant select (tenant_id, lease_owner, outcome) on operations to postern_system;
