-- For an engine that spreads rows over servers by their account, such as Citus: every unique key has to have the account in it there.
-- Camino's keys begin with it (docs/scale.md). What is unique by its id alone besides, on one server, becomes an
-- index that is not unique; ids are random, and the ledger's laws hold without. To be run once, when a gateway has made the tables.
-- docs/scale.md says what else is in the way of such an engine.

BEGIN;

ALTER TABLE key_tags DROP CONSTRAINT key_tags_key_id_fkey;
ALTER TABLE keys DROP CONSTRAINT keys_id_key, DROP CONSTRAINT keys_hash_key;
DROP INDEX keys_by_old_hash;
CREATE INDEX keys_by_id ON keys (id);
CREATE INDEX keys_by_hash ON keys (hash);
CREATE INDEX keys_by_old_hash ON keys (old_hash) WHERE old_hash IS NOT NULL;

ALTER TABLE key_state DROP CONSTRAINT key_state_key_id_key;
CREATE INDEX key_state_by_key ON key_state (key_id);

ALTER TABLE memberships DROP CONSTRAINT memberships_project_id_fkey;
ALTER TABLE links DROP CONSTRAINT links_project_id_fkey;
ALTER TABLE projects DROP CONSTRAINT projects_id_key;
CREATE INDEX projects_by_id ON projects (id);

ALTER TABLE requests_held DROP CONSTRAINT requests_held_id_key;
CREATE INDEX requests_held_by_id ON requests_held (id);
ALTER TABLE requests_ended DROP CONSTRAINT requests_id_key;
CREATE INDEX requests_ended_by_id ON requests_ended (id);

COMMIT;
