-- Why: the tenant is the wall between customers; every other table hangs from it.
-- Lock: none on existing tables. Half-way roll-out: nothing reads this table yet.

create table tenants (
  tenant_id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  status text not null default 'active' check (status in ('active', 'suspended')),
  plan text not null check (length(plan) between 1 and 40),
  created_at timestamptz not null default now()
);

alter table tenants enable row level security;
alter table tenants force row level security;
create policy tenant_isolation on tenants
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy system_reads on tenants for select to postern_system using (true);

grant select, insert, update (name, status, plan) on tenants to postern_app;
grant select (tenant_id, name, status, plan, created_at) on tenants to postern_system;
