import type { Dialect } from "../sql/statement.ts";
import { columnTypes, isOneOf } from "./column-types.ts";

/**
 * Responses that clients may refer to (docs/adr/0017). Ids are stored as keyed hashes, and contents are encrypted: the
 * tables show the account, the expiry and the size of a response, and nothing of its text.
 */
export function responseTables(dialect: Dialect): string[] {
  const { int, text, bytes, plain, clustered } = columnTypes(dialect);
  return [
    // The contents come last, so that the columns that are read and changed without them lie before their overflow
    // pages.
    `CREATE TABLE stored_responses (
      account_id ${text} NOT NULL,
      response_key ${text} NOT NULL,
      parent_key ${text},
      created_ms ${int} NOT NULL,
      expires_ms ${int} NOT NULL,
      bytes ${int} NOT NULL CHECK (bytes > 0),
      input ${bytes} NOT NULL,
      output ${bytes} NOT NULL,
      rest ${bytes} NOT NULL,
      PRIMARY KEY (account_id, response_key)
    )${plain}`,
    "CREATE INDEX stored_responses_by_end ON stored_responses (expires_ms)",
    // An index with all columns that an account's limit is computed from.
    `CREATE INDEX stored_responses_by_account
      ON stored_responses (account_id, expires_ms, created_ms, response_key, bytes)`,
    `CREATE TABLE stored_items (
      account_id ${text} NOT NULL,
      item_key ${text} NOT NULL,
      response_key ${text} NOT NULL,
      PRIMARY KEY (account_id, item_key),
      FOREIGN KEY (account_id, response_key) REFERENCES stored_responses (account_id, response_key) ON DELETE CASCADE
    )${clustered}`,
    "CREATE INDEX stored_items_by_response ON stored_items (account_id, response_key)",
    // Answers that are given again (docs/rulings.md 183).
    `CREATE TABLE cached_answers (
      account_id ${text} NOT NULL,
      answer_key ${text} NOT NULL,
      stored_ms ${int} NOT NULL,
      expires_ms ${int} NOT NULL,
      bytes ${int} NOT NULL CHECK (bytes > 0),
      content ${bytes} NOT NULL,
      PRIMARY KEY (account_id, answer_key)
    )${plain}`,
    "CREATE INDEX cached_answers_by_end ON cached_answers (expires_ms)",
    // An index with all columns that the limit of all answers is computed from.
    "CREATE INDEX cached_answers_by_age ON cached_answers (stored_ms, account_id, answer_key, bytes)",
    `CREATE TABLE cache_hours (
      account_id ${text} NOT NULL,
      hour_ms ${int} NOT NULL,
      hits ${int} NOT NULL,
      misses ${int} NOT NULL,
      saved_micro ${int} NOT NULL,
      PRIMARY KEY (account_id, hour_ms)
    )${clustered}`,
    // What was said, where somebody switched that on (docs/rulings.md 184): several requests lie in one segment, which has the list of their ids.
    `CREATE TABLE content_segments (
      account_id ${text} NOT NULL,
      segment_id ${text} NOT NULL,
      at_ms ${int} NOT NULL,
      bytes ${int} NOT NULL CHECK (bytes > 0),
      version ${int} NOT NULL DEFAULT 1,
      request_ids ${text} NOT NULL,
      content ${bytes} NOT NULL,
      PRIMARY KEY (account_id, segment_id)
    )${plain}`,
    // An index with all columns that the limit of all contents is computed from.
    "CREATE INDEX content_segments_by_age ON content_segments (at_ms, account_id, segment_id, bytes)",
    `CREATE TABLE contents (
      account_id ${text} NOT NULL,
      request_id ${text} NOT NULL,
      at_ms ${int} NOT NULL,
      key_id ${text} NOT NULL,
      model ${text} NOT NULL,
      endpoint ${text} NOT NULL,
      status ${int} NOT NULL,
      tags ${text},
      user_key ${text},
      bytes ${int} NOT NULL CHECK (bytes > 0),
      segment_id ${text} NOT NULL,
      PRIMARY KEY (account_id, request_id)
    )${clustered}`,
    "CREATE INDEX contents_of_account ON contents (account_id, at_ms, request_id)",
    "CREATE INDEX contents_of_user ON contents (account_id, user_key) WHERE user_key IS NOT NULL",
    `CREATE TABLE content_switches (
      account_id ${text} NOT NULL REFERENCES accounts (id),
      scope ${text} NOT NULL CHECK (${isOneOf("scope", "account", "project", "key")}),
      id ${text} NOT NULL,
      keeps ${int} NOT NULL CHECK (keeps IN (0, 1)),
      words ${int} NOT NULL CHECK (words IN (0, 1)),
      PRIMARY KEY (account_id, scope, id)
    )${clustered}`,
  ];
}
