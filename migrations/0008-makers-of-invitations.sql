-- A link that invites somebody is worth what its maker may do, and tokens end with their maker's membership.
--
-- breaks older executables: no
--
-- {text}    postgres: text collate "C"    sqlite: text
-- {now}     postgres: cast(extract(epoch from now()) * 1000 as bigint)    sqlite: cast(unixepoch('subsec') * 1000 as integer)

-- Null: whoever administers the machine. Nobody knows who made the links that are there already, or that
-- older executables make: they go on to their end, 24 hours at most.
alter table invitations add column made_by {text} references users (id) on delete cascade;

create index invitations_maker on invitations (made_by);

-- Those whose maker had lost the membership, or was disabled, before that ended them.
update management_tokens set revoked_at = {now}
where revoked_at is null and made_by is not null and not exists (
  select 1 from members m join users u on u.id = m.user_id
  where m.organisation_id = management_tokens.organisation_id and m.user_id = management_tokens.made_by
    and u.is_disabled = 0);
