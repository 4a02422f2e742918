import { COUNT_COLUMNS } from "../../schema/traffic-columns.ts";

/**
 * Which tables an account's rows are in, in an order in which each row finds what it refers to, and which tables stay where they are (docs/adr/0085). A table that
 * is in neither list stops a move before it begins: a new table needs a row here.
 */
export interface AccountTable {
  readonly name: string;
  /** The column that has the account's id. */
  readonly account?: string;
  /** The column by which the rows are found among those of another table, which go after them. */
  readonly among?: { readonly column: string; readonly of: string; readonly key?: string; readonly where?: string };
  /** Columns with numbers of shared texts or of routes, which are others in each cell. */
  readonly numbers?: { readonly columns: readonly string[]; readonly of: "texts" | "traffic_routes" };
  /** The mark that has what all rows of the table take (store/responses/kept-bytes.ts). */
  readonly kept_bytes?: string;
  /** Rows with contents of people: few at a time. */
  readonly is_large?: true;
  /** The order in which the rows must come; any other is as good where it is absent. */
  readonly order?: string;
  /** What stays in the directory is a row by which members are shown with a project. */
  readonly is_mirrored?: true;
  /** Not bound to the account's row: a gateway that has not heard of the move yet may still add to it. With counts, which add up where both cells have the same row. */
  readonly late?: LateRows;
}

export interface LateRows {
  readonly key: readonly string[];
  readonly counts: readonly string[];
}

const own = (name: string, more: Omit<AccountTable, "name"> = {}): AccountTable => ({
  name,
  ...(more.among === undefined && { account: "account_id" }),
  ...more,
});

const ROUTES = { columns: ["route_no"], of: "traffic_routes" } as const;

function late(key: string, counts: readonly string[] = []): { readonly late: LateRows } {
  return { late: { key: ["account_id", ...key.split(" ")], counts } };
}

/** The tables of an account beside its own row. */
export const ACCOUNT_TABLES: readonly AccountTable[] = [
  own("account_limits"),
  own("limit_counts"),
  own("auto_top_ups"),
  own("projects", { is_mirrored: true }),
  own("keys"),
  own("key_state", { account: "key_account_id" }),
  own("key_tags", { among: { column: "key_id", of: "keys" } }),
  own("requests", {
    numbers: { columns: ["endpoint_no", "model_no", "price_no", "attempt_no"], of: "texts" },
    order: "seq",
  }),
  own("traffic_waiting", { among: { column: "request_id", of: "requests" } }),
  // Found by the account's charges: they are kept for ever, and those of all accounts have no index by account.
  own("gone_charges", {
    among: { column: "request_id", of: "entries", key: "request_id", where: "o.kind = 'charge'" },
  }),
  own("entry_ids"),
  own("entries", { order: "seq" }),
  own("late_settlements"),
  own("idempotency", { is_large: true }),
  own("usage_days"),
  own("usage_projects"),
  own("usage_tags"),
  own("request_tag_names"),
  own("request_tag_values"),
  own("traffic_account_hours", { numbers: ROUTES, ...late("hour key_id route_no outcome", COUNT_COLUMNS) }),
  own("traffic_account_days", { numbers: ROUTES, ...late("day key_id route_no outcome", COUNT_COLUMNS) }),
  own("traffic_key_days", late("day key_id outcome", COUNT_COLUMNS)),
  own("refusals", late("minute key_id endpoint code", ["count"])),
  own("refused_requests", late("at_ms request_id")),
  own("stored_responses", { is_large: true, ...late("response_key") }),
  own("stored_items", late("item_key")),
  own("cached_answers", { is_large: true, kept_bytes: "cached_bytes", ...late("answer_key") }),
  own("cache_hours", late("hour_ms", ["hits", "misses", "saved_micro"])),
  own("content_segments", { is_large: true, kept_bytes: "contents_bytes", ...late("segment_id") }),
  own("contents", late("request_id")),
  own("content_switches"),
  own("usage_positions"),
  // The delivery of usage events that still waits: the account's next one follows it.
  own("deliveries", { among: { column: "id", of: "usage_positions", key: "delivery_id" } }),
];

const DIRECTORY_ALONE = "the directory has it for the accounts of all cells";
const OF_ALL = "it counts all accounts of the cell: what has been counted stays counted there";
const MADE_ANEW = "made anew, as rows of its days have come or gone";
const OF_THE_DATABASE = "it is about the database itself";

/** Tables whose rows do not go with an account, each with the reason. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  accounts: "an account's own row goes last, in a step of its own",
  // docs/rulings.md 245
  audit_log:
    "the audit log never goes: an entry stays in the cell where it was written, and lists have those of all cells",
  ...reason(DIRECTORY_ALONE, [
    ...["users", "memberships", "management_keys", "sessions", "passkeys", "identities", "links", "prompts"],
    ...["challenges", "tries", "targets", "alerts"],
    ...["vendor_credentials", "configuration_versions", "revisions", "circuit_changes"],
    ...["vendor_spending", "drained_cells"],
  ]),
  ...reason(OF_ALL, ["traffic_hours", "traffic_days", "vendor_slots", "traffic_state"]),
  ...reason(MADE_ANEW, ["closed_days", "summed_spans", "usage_key_sums", "usage_model_sums", "traffic_key_sums"]),
  ...reason(OF_THE_DATABASE, ["schema_migrations", "nodes", "chores", "marks", "incidents", "moved_from"]),
  usage_targets: "each cell has all targets of usage events",
  texts: "shared by all requests: those of the account are added where it comes to",
  traffic_routes: "shared by all accounts: those of the account are added where it comes to",
};

function reason(why: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, why]));
}
