-- Why: a write of 500 messages kept 500 rows, twice, and that was a third of the time it took. Now it is one row, whose
-- columns hold a value for each message, in order.
-- Lock: exclusive on operation_items while what was written in 30 days is copied.
-- Half-way roll-out: the release before cannot keep its rows any more; its writes are refused before they act.

-- The owner is held to the policies as well, and copies the rows of every tenant.
alter table operation_items disable row level security;
create temporary table packed on commit drop as
select tenant_id, operation_id,
       array_agg(before_locator order by position) as before_locators,
       array_agg(after_locator order by position) as after_locators,
       array_agg(status order by position) as statuses,
       array_agg(marks order by position) as marks
  from operation_items
 group by tenant_id, operation_id;
drop table operation_items;

create table operation_items (
  tenant_id uuid not null,
  operation_id text not null,
  before_locators bytea[] not null check (octet_length(before_locators::text) <= 200 * (cardinality(before_locators) + 1)),
  after_locators bytea[] not null check (octet_length(after_locators::text) <= 200 * (cardinality(after_locators) + 1)),
  statuses text[] not null check (statuses <@ array['done', 'failed', 'unknown', 'unchanged']),
  -- {"added": [...], "removed": [...]}: names of marks as a caller gave them, never a word of a message.
  marks jsonb[] not null check (octet_length(marks::text) <= 10000 * (cardinality(marks) + 1)),
  primary key (tenant_id, operation_id),
  foreign key (tenant_id, operation_id) references operations on delete cascade,
  constraint operation_items_side_by_side check (
    cardinality(after_locators) = cardinality(before_locators)
    and cardinality(statuses) = cardinality(before_locators)
    and cardinality(marks) = cardinality(before_locators)
  )
);

insert into operation_items (tenant_id, operation_id, before_locators, after_locators, statuses, marks)
select tenant_id, operation_id, before_locators, after_locators, statuses, marks from packed;

alter table operation_items enable row level security;
alter table operation_items force row level security;
create policy tenant_isolation on operation_items
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

grant select, insert on operation_items to postern_app;
-- Where a message was, and which marks it had, is fixed before it is touched.
grant update (after_locators, statuses) on operation_items to postern_app;
