import type { Migration } from "./migrations.ts";

/**
 * Keys of hot tables that begin with the account, on PostgreSQL (docs/adr/0076): a row can lie where its account lies. What was unique by its id
 * alone stays so, for one server and for programs from before; none of the ledger's statements needs it. The embedded database stays as it is.
 */
export const keysByAccountMigration: Migration = {
  version: 33,
  name: "keys that begin with the account",
  compatible_from: 16,
  statements: (dialect) => (dialect === "sqlite" ? [] : POSTGRES),
};

const POSTGRES: readonly string[] = [
  // Keys, and what is counted for them. The foreign keys go first, as they lean on the old key.
  "ALTER TABLE key_state DROP CONSTRAINT key_state_key_id_fkey",
  "ALTER TABLE key_tags DROP CONSTRAINT key_tags_key_id_fkey",
  "ALTER TABLE keys DROP CONSTRAINT keys_pkey, ADD PRIMARY KEY (account_id, id), ADD CONSTRAINT keys_id_key UNIQUE (id)",
  "DROP INDEX keys_of_account",
  "ALTER TABLE key_tags ADD FOREIGN KEY (key_id) REFERENCES keys (id)",
  // A name of its own: programs from before join both tables, and say `account_id` for the key's.
  `ALTER TABLE key_state ADD COLUMN key_account_id TEXT COLLATE "C"`,
  "UPDATE key_state SET key_account_id = k.account_id FROM keys AS k WHERE k.id = key_id",
  `ALTER TABLE key_state DROP CONSTRAINT key_state_pkey, ADD PRIMARY KEY (key_account_id, key_id),
    ADD CONSTRAINT key_state_key_id_key UNIQUE (key_id), ADD FOREIGN KEY (key_account_id, key_id) REFERENCES keys (account_id, id)`,
  // They do not name the account of a new key's state.
  `CREATE FUNCTION find_account_of_key() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      SELECT account_id INTO NEW.key_account_id FROM keys WHERE id = NEW.key_id;
      RETURN NEW;
    END $$`,
  `CREATE TRIGGER key_state_has_account BEFORE INSERT ON key_state
    FOR EACH ROW WHEN (NEW.key_account_id IS NULL) EXECUTE FUNCTION find_account_of_key()`,
  // Projects, and what is counted for them.
  "ALTER TABLE keys DROP CONSTRAINT keys_project_id_fkey",
  "ALTER TABLE memberships DROP CONSTRAINT memberships_project_id_fkey",
  "ALTER TABLE links DROP CONSTRAINT links_project_id_fkey",
  `ALTER TABLE projects DROP CONSTRAINT projects_pkey, ADD PRIMARY KEY (account_id, id),
    ADD CONSTRAINT projects_id_key UNIQUE (id)`,
  "DROP INDEX projects_of_account",
  "ALTER TABLE keys ADD FOREIGN KEY (account_id, project_id) REFERENCES projects (account_id, id)",
  "ALTER TABLE memberships ADD FOREIGN KEY (project_id) REFERENCES projects (id)",
  "ALTER TABLE links ADD FOREIGN KEY (project_id) REFERENCES projects (id)",
  `ALTER TABLE usage_projects DROP CONSTRAINT usage_projects_pkey, ADD PRIMARY KEY (account_id, project_id, day, key_id, model),
    ADD CONSTRAINT usage_projects_of_project UNIQUE (project_id, day, key_id, model)`,
  // Requests that run.
  "ALTER TABLE requests_held ADD PRIMARY KEY (account_id, id)",
  // Requests that have ended: lists and an account's days went along the account and the time already.
  "DROP INDEX requests_of_account",
  `DO $$
    DECLARE part regclass; old name;
    BEGIN
      FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'requests_ended'::regclass LOOP
        SELECT conname INTO old FROM pg_constraint WHERE conrelid = part AND contype = 'p';
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD PRIMARY KEY (account_id, created_ms, seq)', part, old);
      END LOOP;
    END $$`,
  "CREATE INDEX requests_by_seq ON requests_ended (seq)",
  // The place within a millisecond makes each key longer. In return an ended request has no deadline and no bound any more.
  "ALTER TABLE requests ALTER COLUMN deadline_ms DROP NOT NULL, ALTER COLUMN bound_tokens DROP NOT NULL",
  "ALTER TABLE requests_held ALTER COLUMN deadline_ms SET NOT NULL, ALTER COLUMN bound_tokens SET NOT NULL",
];
