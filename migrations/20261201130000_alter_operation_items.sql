-- Why: of flags and labels only what was changed is undone, and that differs from message to message.
-- Lock: exclusive on operation_items for a moment.
-- Half-way roll-out: the release before does not know the column and leaves it empty; what it marks cannot be undone.

alter table operation_items
  -- {"added": [...], "removed": [...]}: names of marks as a caller gave them, never a word of a message.
  add column marks jsonb check (length(marks::text) <= 10000);
