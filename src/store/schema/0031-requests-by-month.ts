import { systemClock } from "../../core/clock.ts";
import { monthOf } from "../upkeep/request-parts.ts";
import type { Migration } from "./migrations.ts";

/**
 * Ended requests in parts by month on PostgreSQL, which retention drops (docs/adr/0057). `requests_ended` is the same to whoever reads and writes
 * it, programs from before included. What is there becomes the part of what is before the first month, as it is: the database reads it once, and calls
 * wait for as long. The embedded database stays as it is.
 */
export const requestsByMonthMigration: Migration = {
  version: 31,
  name: "ended requests in parts by month",
  compatible_from: 16,
  statements: (dialect) => (dialect === "sqlite" ? [] : postgres(systemClock.now_ms())),
};

/** What the indices of the table are called that becomes a part. */
const RENAMED: Readonly<Record<string, string>> = {
  requests_pkey: "requests_early_pkey",
  requests_id_key: "requests_early_id_key",
  requests_of_account: "requests_early_of_account",
  requests_by_client_id: "requests_early_by_client_id",
  requests_failed: "requests_early_failed",
  requests_failed_of_account: "requests_early_failed_of_account",
  requests_ended_account_id_created_ms_idx: "requests_early_with_tags",
};

/** Months begin with this one in a database without requests, and with the next one in any other. */
function postgres(now_ms: number): readonly string[] {
  const { from_id, to_id } = monthOf(now_ms);
  const like = "LIKE requests_early INCLUDING DEFAULTS INCLUDING CONSTRAINTS";
  return [
    "ALTER TABLE requests DETACH PARTITION requests_ended",
    "ALTER TABLE requests_ended RENAME TO requests_early",
    ...Object.entries(RENAMED).map(([name, early]) => `ALTER INDEX ${name} RENAME TO ${early}`),
    `CREATE TABLE requests_ended (${like}) PARTITION BY RANGE (id)`,
    // A place is unique in its part; that it is so in all of them comes from the sequence.
    "ALTER TABLE requests_ended ADD CONSTRAINT requests_id_key UNIQUE (id)",
    "CREATE INDEX requests_of_account ON requests_ended (account_id, created_ms)",
    "CREATE INDEX requests_by_client_id ON requests_ended (client_request_id) WHERE client_request_id IS NOT NULL",
    "CREATE INDEX requests_failed ON requests_ended (id) WHERE error IS NOT NULL",
    "CREATE INDEX requests_failed_of_account ON requests_ended (account_id, created_ms) WHERE error IS NOT NULL",
    `CREATE TABLE requests_other (${like} INCLUDING INDEXES)`,
    "ALTER TABLE requests_ended ATTACH PARTITION requests_other DEFAULT",
    "ALTER TABLE requests ATTACH PARTITION requests_ended DEFAULT",
    `DO $$
      DECLARE bound text := CASE WHEN EXISTS (SELECT 1 FROM requests_early) THEN '${to_id}' ELSE '${from_id}' END;
      BEGIN
        -- Ids that are no time, and those of clocks that are ahead.
        WITH moved AS (DELETE FROM requests_early WHERE id >= bound RETURNING *) INSERT INTO requests_other SELECT * FROM moved;
        EXECUTE format('ALTER TABLE requests_ended ATTACH PARTITION requests_early FOR VALUES FROM (MINVALUE) TO (%L)', bound);
      END $$`,
  ];
}
