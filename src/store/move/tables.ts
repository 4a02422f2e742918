/**
 * Which tables go to the other database, in an order in which each row finds what it refers to, and which do not (docs/design/moving.md). A table
 * that is in neither list is refused: a new table needs a row here.
 */
interface MovedTable {
  readonly name: string;
  /** The columns of its primary key, in whose order it is copied and compared. */
  readonly key: readonly string[];
  /** Columns that only the embedded database has. */
  readonly left?: readonly string[];
  /** Columns that only PostgreSQL has, each with how the embedded database is asked for its value. */
  readonly made?: Readonly<Record<string, string>>;
}

export const MOVED: readonly MovedTable[] = [
  { name: "accounts", key: ["id"], left: ["folded_seq"] },
  { name: "account_limits", key: ["account_id"] },
  { name: "limit_counts", key: ["account_id", "rule", "value"] },
  { name: "auto_top_ups", key: ["account_id"] },
  { name: "projects", key: ["id"] },
  { name: "keys", key: ["id"] },
  { name: "key_state", key: ["key_id"], made: { key_account_id: "(SELECT account_id FROM keys WHERE id = key_id)" } },
  { name: "key_tags", key: ["key_id", "name"] },
  { name: "users", key: ["id"] },
  { name: "memberships", key: ["user_id", "account_id"] },
  { name: "management_keys", key: ["id"] },
  { name: "sessions", key: ["id"] },
  { name: "passkeys", key: ["id"] },
  { name: "identities", key: ["issuer", "subject"] },
  { name: "links", key: ["id"] },
  { name: "prompts", key: ["id"] },
  { name: "challenges", key: ["id"] },
  { name: "tries", key: ["bucket"] },
  { name: "deliveries", key: ["id"] },
  { name: "targets", key: ["id"] },
  { name: "alerts", key: ["scope", "type", "subject"] },
  { name: "usage_targets", key: ["target_id"] },
  { name: "usage_positions", key: ["target_id", "account_id"] },
  { name: "audit_log", key: ["seq"] },
  { name: "incidents", key: ["seq"] },
  { name: "chores", key: ["name"] },
  { name: "marks", key: ["name"] },
  { name: "vendor_spending", key: ["day", "vendor", "credential"] },
  { name: "revisions", key: ["name"] },
  { name: "vendor_credentials", key: ["vendor_id"] },
  { name: "configuration_versions", key: ["kind", "id", "version"] },
  { name: "texts", key: ["no"] },
  { name: "requests", key: ["seq"] },
  { name: "gone_charges", key: ["request_id"] },
  { name: "entry_ids", key: ["id"] },
  { name: "entries", key: ["account_id", "seq"] },
  { name: "late_settlements", key: ["request_id"] },
  { name: "idempotency", key: ["account_id", "key"] },
  { name: "usage_days", key: ["account_id", "day", "key_id", "model"] },
  { name: "usage_projects", key: ["account_id", "project_id", "day", "key_id", "model"] },
  { name: "usage_tags", key: ["account_id", "name", "day", "value", "key_id", "model", "project_id"] },
  { name: "request_tag_names", key: ["account_id", "name"] },
  { name: "request_tag_values", key: ["account_id", "day", "name", "value"] },
  { name: "refusals", key: ["minute", "account_id", "key_id", "endpoint", "code"] },
  { name: "refused_requests", key: ["account_id", "at_ms", "request_id"] },
  { name: "stored_responses", key: ["account_id", "response_key"] },
  { name: "stored_items", key: ["account_id", "item_key"] },
  { name: "cached_answers", key: ["account_id", "answer_key"] },
  { name: "cache_hours", key: ["account_id", "hour_ms"] },
  { name: "content_segments", key: ["account_id", "segment_id"] },
  { name: "contents", key: ["account_id", "request_id"] },
  { name: "content_switches", key: ["account_id", "scope", "id"] },
];

/** Tables that are not moved, each with the reason. */
export const LEFT: Readonly<Record<string, string>> = {
  schema_migrations: "each database has its own schema",
  nodes: "the processes of the file have ended, and their holds with them",
  journal: "it is empty: what was in it is in the tables",
  journal_refused: "what could not be written to the tables; the incident about it goes along",
  commit_chain: "PostgreSQL has a log of its own",
  moved_to: "it is the mark on the file",
  moved_from: "it is how far the move has come",
  ...Object.fromEntries(
    [
      ...["traffic_routes", "traffic_hours", "traffic_days", "traffic_account_hours", "traffic_account_days"],
      ...["traffic_key_days", "traffic_state", "traffic_waiting", "vendor_slots"],
    ].map((name) => [name, "traffic is counted anew from the requests that have moved"]),
  ),
  ...Object.fromEntries(
    ["closed_days", "summed_spans", "usage_key_sums", "usage_model_sums", "traffic_key_sums"].map((name) => [
      name,
      "sums of days are made anew from the days that have moved",
    ]),
  ),
  drained_cells: "the embedded database has no cells",
  circuit_changes: "circuits are a process's own, and their history is kept for ten days",
};
