-- The audit is only added to: the database refuses anything else.
--
-- breaks older executables: no
--
-- {bigint}     postgres: bigint    sqlite: integer
-- {function}   postgres: create or replace function audit_stays() returns trigger language plpgsql as $$ begin if tg_op = 'DELETE' and old.at < (select audit_kept_from from installation where id = 1) then return old; end if; if tg_op = 'TRUNCATE' and not exists (select 1 from audit where at >= (select audit_kept_from from installation where id = 1)) then return null; end if; raise exception 'the audit is only added to; Brume removes what is older than BRUME_AUDIT_RETENTION_DAYS'; end $$;    sqlite:
-- {on_update}  postgres: for each row execute function audit_stays();    sqlite: begin select raise(abort, 'the audit is only added to'); end;
-- {on_delete}  postgres: for each row execute function audit_stays();    sqlite: when old.at >= coalesce((select audit_kept_from from installation where id = 1), 0) begin select raise(abort, 'the audit is only added to; Brume removes what is older than BRUME_AUDIT_RETENTION_DAYS'); end;
-- {others}     postgres: create trigger audit_truncate before truncate on audit for each statement execute function audit_stays();    sqlite: create trigger audit_replace before insert on audit when exists (select 1 from audit where revision = new.revision) begin select raise(abort, 'the audit is only added to'); end;

-- Entries from before this moment may be removed, and nothing else may. It only rises.
alter table installation add column audit_kept_from {bigint} not null default 0;

{function}

create trigger audit_update before update on audit {on_update}

create trigger audit_delete before delete on audit {on_delete}

{others}
