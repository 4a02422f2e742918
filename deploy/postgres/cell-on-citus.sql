-- Makes the tables of one cell ready for Citus, where a cell is a schema whose tables lie on one worker (docs/scale.md). To be run once, as the
-- cell's owner and with the cell's schema first in its search_path, when a gateway has made the tables and has ended, before the schema is
-- distributed. Citus refuses two things that Camino's tables have elsewhere: parts of parts, and triggers with transition tables.

BEGIN;

-- Requests that have ended lie in one part, without months: retention deletes them by rows.
ALTER TABLE requests DETACH PARTITION requests_ended;
CREATE TABLE requests_whole (LIKE requests_ended INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE);
INSERT INTO requests_whole SELECT * FROM requests_ended;
DROP TABLE requests_ended;
ALTER TABLE requests_whole RENAME TO requests_ended;
ALTER TABLE requests_ended ADD CONSTRAINT requests_ended_pkey PRIMARY KEY (account_id, created_ms, seq);
ALTER TABLE requests_ended ADD CONSTRAINT requests_id_key UNIQUE (id);
CREATE INDEX requests_by_client_id ON requests_ended (client_request_id) WHERE client_request_id IS NOT NULL;
CREATE INDEX requests_failed ON requests_ended (id) WHERE error IS NOT NULL;
CREATE INDEX requests_failed_of_account ON requests_ended (account_id, created_ms) WHERE error IS NOT NULL;
CREATE INDEX requests_by_seq ON requests_ended (seq);
ALTER TABLE requests ATTACH PARTITION requests_ended DEFAULT;

-- Laws of whole statements: the ledger decides by the same rules, and the audit compares.
DROP TRIGGER entries_hold_together ON entries;
DROP TRIGGER requests_are_new ON requests;

-- Closed days of traffic learn of changes row by row, as those of usage do everywhere.
DROP TRIGGER traffic_key_days_added ON traffic_key_days;
DROP TRIGGER traffic_key_days_changed ON traffic_key_days;
DROP TRIGGER traffic_key_days_removed ON traffic_key_days;
CREATE FUNCTION note_changed_traffic_day() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE closed_days SET revision = revision + 1 WHERE kind = 'traffic' AND day IN (OLD.day, NEW.day);
    RETURN NULL;
  END $$;
CREATE TRIGGER traffic_key_days_added AFTER INSERT ON traffic_key_days
  FOR EACH ROW WHEN (NEW.day < floor(extract(epoch FROM clock_timestamp()) / 86400)) EXECUTE FUNCTION note_changed_traffic_day();
CREATE TRIGGER traffic_key_days_changed AFTER UPDATE ON traffic_key_days
  FOR EACH ROW WHEN (least(OLD.day, NEW.day) < floor(extract(epoch FROM clock_timestamp()) / 86400)) EXECUTE FUNCTION note_changed_traffic_day();
CREATE TRIGGER traffic_key_days_removed AFTER DELETE ON traffic_key_days
  FOR EACH ROW WHEN (OLD.day < floor(extract(epoch FROM clock_timestamp()) / 86400)) EXECUTE FUNCTION note_changed_traffic_day();

COMMIT;
