import type { Dialect } from "../sql/statement.ts";
import { columnTypes, isOneOf } from "./column-types.ts";

/** What waits to be sent and what was sent, the places to which alerts go, and what is true and was told (docs/rulings.md 185, 225). */
export function deliveryTables(dialect: Dialect): string[] {
  const { int, text, clustered, roomy } = columnTypes(dialect);
  return [
    // For a letter, `id` is that of the link that it brings, which need not be there yet.
    `CREATE TABLE deliveries (
      id ${text} PRIMARY KEY,
      kind ${text} NOT NULL CHECK (${isOneOf("kind", "invitation", "password-reset", "alert", "usage")}),
      channel ${text} NOT NULL CHECK (${isOneOf("channel", "mail", "webhook", "slack", "s3", "file")}),
      recipient ${text} NOT NULL,
      account_id ${text},
      type ${text},
      body ${text},
      asked_from ${text},
      created_ms ${int} NOT NULL,
      ends_ms ${int} NOT NULL,
      due_ms ${int},
      attempts ${int} NOT NULL CHECK (attempts >= 0),
      state ${text} NOT NULL CHECK (${isOneOf("state", "waiting", "delivered", "failed")}),
      status ${int},
      reason ${text},
      ended_ms ${int},
      CHECK ((state = 'waiting') = (due_ms IS NOT NULL))
    )${roomy(70)}`,
    "CREATE INDEX deliveries_by_due ON deliveries (due_ms) WHERE due_ms IS NOT NULL",
    "CREATE INDEX deliveries_of_account ON deliveries (account_id, created_ms) WHERE type IS NOT NULL",
    "CREATE INDEX deliveries_of_recipient ON deliveries (recipient, created_ms)",
    // An address is sealed: whoever knows it may be able to write to its channel.
    `CREATE TABLE targets (
      id ${text} PRIMARY KEY,
      account_id ${text} REFERENCES accounts (id),
      channel ${text} NOT NULL CHECK (${isOneOf("channel", "mail", "webhook", "slack")}),
      sealed ${text} NOT NULL,
      types ${text},
      created_ms ${int} NOT NULL,
      created_by ${text} NOT NULL,
      ended_ms ${int},
      ended_reason ${text}
    )${clustered}`,
    "CREATE INDEX targets_of_account ON targets (account_id)",
    // What is true now, of each scope that has targets: an account's id, or '' for the gateway. Untold rows wait for room.
    `CREATE TABLE alerts (
      scope ${text} NOT NULL,
      type ${text} NOT NULL,
      subject ${text} NOT NULL,
      account_id ${text},
      level ${int} NOT NULL,
      data ${text} NOT NULL,
      began_ms ${int} NOT NULL,
      told_ms ${int},
      times_told ${int} NOT NULL CHECK (times_told >= 0),
      ended_ms ${int},
      PRIMARY KEY (scope, type, subject)
    )${roomy(70)}`,
    ...usageEventTables(dialect),
  ];
}

/**
 * How far each target of usage events has come in the ledger (docs/rulings.md 234): up to which entry of an account, and how many events that were.
 * `delivery_id` is the last delivery, after whose end the next one follows: of an account, or of the target where its deliveries are for all.
 */
function usageEventTables(dialect: Dialect): string[] {
  const { int, text, clustered } = columnTypes(dialect);
  return [
    `CREATE TABLE usage_targets (
      target_id ${text} PRIMARY KEY,
      next_ms ${int} NOT NULL,
      delivery_id ${text}
    )${clustered}`,
    `CREATE TABLE usage_positions (
      target_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      entry_seq ${int} NOT NULL CHECK (entry_seq >= 0),
      cursor ${int} NOT NULL CHECK (cursor >= 0),
      delivery_id ${text},
      PRIMARY KEY (target_id, account_id)
    )${clustered}`,
  ];
}
