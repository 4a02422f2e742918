import { ZERO } from "../../core/money.ts";
import {
  addEach,
  type Columns,
  deleteEach,
  insertEach,
  type Statement,
  updateEach,
  type Value,
} from "../sql/statement.ts";
import type { Step, Work } from "../sql/work.ts";
import type { BookAdmit } from "./book-op.ts";
import { TOP_UP_ACTOR, TOP_UP_NOTE } from "./top-up.ts";
import type { IdempotencyState, KeyState, NewEntry, Page, RequestEnd, RequestState, UsageChange } from "./page.ts";

/** Writes what a batch has changed, the rows of each table together. */
export function* writePage(page: Page): Work<void> {
  const steps: Step[] = [];
  const add = (statement: Statement, params: readonly Value[][]): void => {
    if (params.length > 0) steps.push({ statement, params });
  };
  const { admitted, running, extended, costly, answered, unanswered } = requestRows(page);
  add(insertRequests, admitted);
  add(updateHolds, running);
  add(addExtensions, extended);
  // Before the end: a request that has ended never changes.
  add(writeUpstreamCosts, costly);
  add(endAnswered, answered);
  add(endUnanswered, unanswered);
  add(
    insertEntries,
    page.entries.map((entry) => entryRow(entry, page.now_ms)),
  );
  add(updateAccounts, accountRows(page));
  add(updateTopUps, topUpRows(page));
  add(updateKeyStates, page.changed_keys.map(keyStateRow));
  add(
    addUsage,
    Array.from(page.usage.values(), (change) => usageRow(change, page.day)),
  );
  add(endIdempotency, page.idempotency_ends);
  add(deleteIdempotency, page.idempotency_deletes);
  add(insertIdempotency, idempotencyRows(page));
  if (steps.length > 0) yield steps;
}

type RequestRows = Readonly<
  Record<"admitted" | "running" | "extended" | "costly" | "answered" | "unanswered", Value[][]>
>;

function requestRows(page: Page): RequestRows {
  const rows: RequestRows = { admitted: [], running: [], extended: [], costly: [], answered: [], unanswered: [] };
  for (const request of page.changed_requests) {
    const { admitted, end } = request;
    if (admitted !== null) rows.admitted.push(admissionRow(request, admitted));
    if (request.extended_micro > ZERO) rows.extended.push([request.extended_micro, request.id]);
    const upstream_cost_micro = end?.outcome?.upstream_cost_micro ?? null;
    if (upstream_cost_micro !== null) rows.costly.push([upstream_cost_micro, request.id]);
    if (end !== null) rows[end.answered === null ? "unanswered" : "answered"].push(endRow(request, end, page.now_ms));
    else if (request.hold_changed && admitted === null) rows.running.push(holdRow(request));
  }
  return rows;
}

const insertRequests = insertEach("requests", {
  id: "text",
  client_request_id: "text",
  account_id: "text",
  key_id: "text",
  endpoint: "text",
  stream: "bigint",
  requested_model: "text",
  model: "text",
  price: "text",
  status: "text",
  node_id: "text",
  created_ms: "bigint",
  deadline_ms: "bigint",
  hold_micro: "bigint",
  bound_tokens: "bigint",
  idempotency_key: "text",
  progress: "text",
});

function admissionRow({ created_ms, deadline_ms, hold_micro, progress }: RequestState, op: BookAdmit): Value[] {
  return [
    op.request_id,
    op.client_request_id,
    op.account_id,
    op.key_id,
    op.endpoint,
    op.stream ? 1 : 0,
    op.requested_model,
    op.model,
    op.price,
    "held",
    op.node_id,
    created_ms,
    deadline_ms,
    hold_micro,
    op.bound_tokens,
    op.idempotency_key,
    progress,
  ];
}

const updateHolds = updateEach(
  "requests",
  { hold_micro: "bigint", deadline_ms: "bigint", progress: "text" },
  { id: "text" },
);

/** A hold that goes on, but larger or further. */
function holdRow({ id, hold_micro, deadline_ms, progress }: RequestState): Value[] {
  return [hold_micro, deadline_ms, progress, id];
}

const addExtensions = addEach("requests", { extended_micro: "bigint" }, { id: "text" });

const writeUpstreamCosts = updateEach("requests", { upstream_cost_micro: "bigint" }, { id: "text" });

const ENDED = {
  status: "text",
  charge_micro: "bigint",
  operator_loss_micro: "bigint",
  hold_micro: "bigint",
  estimated: "bigint",
  success: "bigint",
  error: "text",
  attempts: "text",
  ended_ms: "bigint",
  queue_ms: "bigint",
  first_byte_ms: "bigint",
  duration_ms: "bigint",
} as const satisfies Columns;

const ANSWERED = {
  model: "text",
  price: "text",
  input_tokens: "bigint",
  cache_read_tokens: "bigint",
  cache_write_tokens: "bigint",
  output_tokens: "bigint",
  reasoning_tokens: "bigint",
} as const satisfies Columns;

const endUnanswered = updateEach("requests", ENDED, { id: "text" });
const endAnswered = updateEach("requests", { ...ENDED, ...ANSWERED }, { id: "text" });

function endRow({ id, status, hold_micro }: RequestState, end: RequestEnd, now_ms: number): Value[] {
  const { outcome, answered } = end;
  const ended = [
    status,
    end.charge_micro,
    end.operator_loss_micro,
    hold_micro,
    end.estimated ? 1 : 0,
    end.success ? 1 : 0,
    // Without an outcome the process died: that is the error.
    outcome === null ? "internal_error" : outcome.error,
    outcome?.attempts ?? "[]",
    now_ms,
    outcome?.queue_ms ?? null,
    outcome?.first_byte_ms ?? null,
    outcome?.duration_ms ?? null,
  ];
  if (answered === null) ended.push(id);
  else {
    const { model, price, usage } = answered;
    ended.push(model, price, usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens);
    ended.push(usage.output_tokens, usage.reasoning_tokens, id);
  }
  return ended;
}

const insertEntries = insertEach("entries", {
  account_id: "text",
  seq: "bigint",
  kind: "text",
  amount_micro: "bigint",
  posted_after_micro: "bigint",
  request_id: "text",
  note: "text",
  actor: "text",
  created_ms: "bigint",
});

function entryRow(entry: NewEntry, now_ms: number): Value[] {
  const { account_id, seq, amount_micro, posted_after_micro, request_id } = entry;
  const [kind, note, actor] = request_id === null ? ["credit", TOP_UP_NOTE, TOP_UP_ACTOR] : ["charge", "", "gateway"];
  return [account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, now_ms];
}

const updateAccounts = updateEach(
  "accounts",
  { balance_micro: "bigint", held_micro: "bigint", posted_micro: "bigint", entry_count: "bigint" },
  { id: "text" },
);

function accountRows(page: Page): Value[][] {
  return page.changed_accounts.map(({ id, wallet, entry_count }) => [
    ...[wallet.balance_micro, wallet.held_micro, wallet.posted_micro],
    ...[entry_count, id],
  ]);
}

const updateTopUps = updateEach(
  "auto_top_ups",
  { month_start_day: "bigint", month_used_micro: "bigint", last_ms: "bigint" },
  { account_id: "text" },
);

function topUpRows(page: Page): Value[][] {
  const changed: Value[][] = [];
  for (const { id, top_up } of page.ruled_accounts) {
    if (top_up?.changed) changed.push([top_up.month_start_day, top_up.month_used_micro, top_up.last_ms, id]);
  }
  return changed;
}

const updateKeyStates = updateEach(
  "key_state",
  {
    requests_limit: "bigint",
    requests_used_units: "bigint",
    requests_at_ms: "bigint",
    tokens_limit: "bigint",
    tokens_used_units: "bigint",
    tokens_at_ms: "bigint",
    open_count: "bigint",
    held_micro: "bigint",
    spent_window: "text",
    spent_start_day: "bigint",
    spent_micro: "bigint",
    last_used_ms: "bigint",
  },
  { key_id: "text" },
);

function keyStateRow(key: KeyState): Value[] {
  const { requests, tokens } = key;
  return [
    requests?.limit ?? null,
    requests?.used_units ?? null,
    requests?.at_ms ?? null,
    tokens?.limit ?? null,
    tokens?.used_units ?? null,
    tokens?.at_ms ?? null,
    key.open_count,
    key.held_micro,
    key.spent_window,
    key.spent_start_day,
    key.spent_micro,
    key.last_used_ms,
    key.id,
  ];
}

const USAGE_COUNTS = {
  cost_micro: "bigint",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  ended_count: "bigint",
  success_count: "bigint",
  refused_count: "bigint",
  replayed_count: "bigint",
} as const satisfies Columns;

const addUsage = insertEach(
  "usage_days",
  { account_id: "text", day: "bigint", key_id: "text", model: "text", ...USAGE_COUNTS },
  `(account_id, day, key_id, model) DO UPDATE SET ${Object.keys(USAGE_COUNTS)
    .map((name) => `${name} = usage_days.${name} + excluded.${name}`)
    .join(", ")}`,
);

function usageRow(change: UsageChange, day: number): Value[] {
  return [
    change.account_id,
    day,
    change.key_id,
    change.model,
    change.cost_micro,
    change.prompt_tokens,
    change.completion_tokens,
    change.ended_count,
    change.success_count,
    change.refused_count,
    change.replayed_count,
  ];
}

const ANSWER = { state: "text", status: "bigint", content_type: "text", headers: "text", body: "bytea" } as const;

/** Guarded by the request: a record that was replaced meanwhile belongs to another one. */
const OF_REQUEST = { account_id: "text", key: "text", request_id: "text" } as const;
const endIdempotency = updateEach("idempotency", ANSWER, OF_REQUEST);
const deleteIdempotency = deleteEach("idempotency", OF_REQUEST);
const insertIdempotency = insertEach("idempotency", {
  account_id: "text",
  key: "text",
  fingerprint: "text",
  request_id: "text",
  expires_ms: "bigint",
  ...ANSWER,
});

function idempotencyRows(page: Page): Value[][] {
  const fresh: Value[][] = [];
  for (const record of page.idempotency.values()) if (record.fresh) fresh.push(idempotencyRow(record));
  return fresh;
}

function idempotencyRow({
  account_id,
  key,
  fingerprint,
  request_id,
  expires_ms,
  ...record
}: IdempotencyState): Value[] {
  const { status = null, content_type = null, headers = null, body = null } = record.answer ?? {};
  return [account_id, key, fingerprint, request_id, expires_ms, record.state, status, content_type, headers, body];
}
