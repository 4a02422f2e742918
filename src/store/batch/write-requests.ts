import { ZERO } from "../../core/money.ts";
import type { BookAdmit, BookUsage } from "../../ledger/books/book-op.ts";
import type { RequestEnd, RequestState, WorkingSet } from "../../ledger/books/working-set.ts";
import { addEach, type Columns, insertEach, type SetStatement, updateEach, type Value } from "../sql/statement.ts";
import type { AddStep } from "../sql/work.ts";
import { type ReferenceOf, referringAttempts, type SharedTexts, sharedPart } from "./shared-texts.ts";

type RequestRows = Readonly<Record<"running" | "extended" | "costly" | "answered" | "unanswered", Value[][]>>;

/** The texts of a batch's requests that have no known references. Usually there are none. */
export function unknownTexts({ changed_requests }: WorkingSet, texts: SharedTexts): ReadonlySet<string> {
  let unknown = NOTHING_UNKNOWN;
  const meet = (text: string | null): void => {
    if (text === null || texts.has(text)) return;
    if (unknown === NOTHING_UNKNOWN) unknown = new Set();
    unknown.add(text);
  };
  for (const { end, admitted } of changed_requests) {
    if (admitted !== null) {
      meet(admitted.endpoint);
      meet(admitted.price);
    }
    if (end === null) continue;
    const named = end.answered ?? admitted;
    if (named !== null) {
      meet(named.model);
      meet(named.price);
    }
    if (end.outcome !== null) meet(sharedPart(end.outcome.attempts));
  }
  return unknown;
}

const NOTHING_UNKNOWN = new Set<string>();

/** Inserts new requests in the order of their admission, then changes the requests that have rows already. */
export function addRequests(working: WorkingSet, referenceOf: ReferenceOf, add: AddStep): void {
  const rows: RequestRows = { running: [], extended: [], costly: [], answered: [], unanswered: [] };
  addNew(working, referenceOf, add);
  for (const request of working.changed_requests) if (!isWrittenWhole(request)) addChange(rows, request, referenceOf);
  add(updateHolds, rows.running);
  add(addExtensions, rows.extended);
  // Costs are written before the end: the row of a request that has ended never changes.
  add(writeUpstreamCosts, rows.costly);
  add(endAnswered, rows.answered);
  add(endUnanswered, rows.unanswered);
}

/**
 * Inserts all new requests by one statement, running ones and ended ones alike: the two kinds come mixed, and a statement
 * for each would insert only a few rows at a time. The columns of project and tags are there where a request has one.
 */
function addNew({ changed_requests }: WorkingSet, referenceOf: ReferenceOf, add: AddStep): void {
  const any_ended = changed_requests.some(isWrittenWhole);
  const any_marked = changed_requests.some(isMarked);
  const inserted: Value[][] = [];
  for (const request of changed_requests) {
    const { admitted } = request;
    if (admitted === null) continue;
    const row = newRow(request, admitted, any_ended, referenceOf);
    inserted.push(any_marked ? row.concat(markedRow(request)) : row);
  }
  const insertions = any_marked ? MARKED : PLAIN;
  add(any_ended ? insertions.whole : insertions.held, inserted);
}

function newRow(request: RequestState, op: BookAdmit, any_ended: boolean, referenceOf: ReferenceOf): Value[] {
  if (!any_ended) return heldRow(request, op, referenceOf);
  if (request.end === null || !isWrittenWhole(request)) return heldRow(request, op, referenceOf).concat(NOT_ENDED);
  return endedRow(request, op, request.end, referenceOf);
}

/** Whether a new request has a value in a column that most requests leave empty. */
function isMarked({ admitted, project_id, tags }: RequestState): boolean {
  return admitted !== null && (project_id !== null || tags !== null);
}

/** The values of the `MARKS` columns. */
function markedRow({ project_id, tags }: RequestState): Value[] {
  return [project_id, tags?.text ?? null, tags?.counted_text ?? null];
}

/** Whether one insertion writes a new request together with its end. A request that changed before its end needs more. */
function isWrittenWhole(request: RequestState): boolean {
  return request.admitted !== null && request.end !== null && !isChangedBeforeEnd(request, request.end);
}

function isChangedBeforeEnd({ extended_micro }: RequestState, { outcome }: RequestEnd): boolean {
  return extended_micro > ZERO || (outcome !== null && outcome.upstream_cost_micro !== null);
}

function addChange(rows: RequestRows, request: RequestState, referenceOf: ReferenceOf): void {
  const { admitted, end } = request;
  if (admitted === null && request.hold_changed) rows.running.push(holdRow(request));
  if (request.extended_micro > ZERO) rows.extended.push([request.extended_micro, request.id]);
  const upstream_cost_micro = end?.outcome?.upstream_cost_micro ?? null;
  if (upstream_cost_micro !== null) rows.costly.push([upstream_cost_micro, request.id]);
  if (end !== null) addEnd(rows, request, end, referenceOf);
}

const ADMITTED = {
  id: "text",
  client_request_id: "text",
  account_id: "text",
  key_id: "text",
  endpoint: "text",
  stream: "bigint",
  requested_model: "text",
  model: "text",
  price: "text",
  node_id: "text",
  created_ms: "bigint",
  deadline_ms: "bigint",
  hold_micro: "bigint",
  bound_tokens: "bigint",
  idempotency_key: "text",
  progress: "text",
} as const satisfies Columns;

/** An empty list and room for its end: SQLite then changes the row where it is, instead of splitting its page. */
const NO_ATTEMPTS_YET = `[]${" ".repeat(100)}`;

/** Columns that few requests have something in. */
const MARKS = { project_id: "text", tags: "text", tags_counted: "text" } as const satisfies Columns;

function insertHeld(marks: Columns): SetStatement {
  const columns = { ...ADMITTED, ...marks };
  return {
    ...insertEach("requests", columns, { constants: { status: "'held'", attempts: `'${NO_ATTEMPTS_YET}'` } }),
    postgres: insertEach("requests", columns, { constants: { status: "'held'" } }).postgres,
  };
}

/** The values of the `ADMITTED` columns of a request that runs. */
function heldRow(request: RequestState, op: BookAdmit, referenceOf: ReferenceOf): Value[] {
  return [
    op.request_id,
    op.client_request_id,
    op.account_id,
    op.key_id,
    referenceOf(op.endpoint),
    op.stream ? 1 : 0,
    op.requested_model,
    op.model,
    referenceOf(op.price),
    op.node_id,
    request.created_ms,
    request.deadline_ms,
    request.hold_micro,
    op.bound_tokens,
    op.idempotency_key,
    request.progress,
  ];
}

/** Only requests that run are changed. */
const HELD = ["status", "'held'"] as const;

const updateHolds = updateEach(
  "requests",
  { hold_micro: "bigint", deadline_ms: "bigint", progress: "text" },
  { id: "text" },
  { only: HELD },
);

/** The values for a hold that was extended, or whose progress and deadline moved. */
function holdRow({ id, hold_micro, deadline_ms, progress }: RequestState): Value[] {
  return [hold_micro, deadline_ms, progress, id];
}

const addExtensions = addEach("requests", { extended_micro: "bigint" }, { id: "text" }, { only: HELD });

const writeUpstreamCosts = updateEach("requests", { upstream_cost_micro: "bigint" }, { id: "text" }, { only: HELD });

const ENDED = {
  status: "text",
  charge_micro: "bigint",
  operator_loss_micro: "bigint",
  estimated: "bigint",
  success: "bigint",
  error: "text",
  attempts: "text",
  ended_ms: "bigint",
  queue_ms: "bigint",
  first_byte_ms: "bigint",
  duration_ms: "bigint",
} as const satisfies Columns;

const USED = {
  input_tokens: "bigint",
  cache_read_tokens: "bigint",
  cache_write_tokens: "bigint",
  output_tokens: "bigint",
  reasoning_tokens: "bigint",
  usage_extra: "text",
} as const satisfies Columns;

/** Columns that only a running request needs, with the values of ended requests. */
const RUNS_NO_MORE = { node_id: "''", deadline_ms: "0", bound_tokens: "0", progress: "NULL" } as const;
/** On PostgreSQL a zero takes eight bytes of a row, and nothing none. */
const NOTHING_MORE = { ...RUNS_NO_MORE, deadline_ms: "NULL", bound_tokens: "NULL" } as const;

/** A recovery ends a request without an answer. */
const endUnanswered: SetStatement = {
  ...endWithoutAnswer(RUNS_NO_MORE),
  postgres: endWithoutAnswer(NOTHING_MORE).postgres,
};

function endWithoutAnswer(constants: Readonly<Record<string, string>>): SetStatement {
  const requested_model = "coalesce(nullif(requested_model, model), '')";
  return updateEach("requests", ENDED, { id: "text" }, { constants: { ...constants, requested_model }, only: HELD });
}

const endAnswered: SetStatement = { ...endWith(RUNS_NO_MORE), postgres: endWith(NOTHING_MORE).postgres };

function endWith(constants: Readonly<Record<string, string>>): SetStatement {
  return updateEach(
    "requests",
    {
      ...{ ...ENDED, ...USED, charge_seq: "bigint", price: "text", model: "text" },
      // The model as a text: it stands for the one that was asked for, where they are the same.
      requested_model: { type: "text", as: "coalesce(nullif(requested_model, $), '')" },
    },
    { id: "text" },
    { constants, only: HELD },
  );
}

function insertWhole(marks: Columns): SetStatement {
  return insertEach(
    "requests",
    { ...ADMITTED, ...ENDED, ...USED, charge_seq: "bigint", ...marks },
    { sqlite_as: { deadline_ms: "coalesce(?, 0)", bound_tokens: "coalesce(?, 0)" } },
  );
}

const PLAIN = { held: insertHeld({}), whole: insertWhole({}) } as const;
const MARKED = { held: insertHeld(MARKS), whole: insertWhole(MARKS) } as const;

const NOTHING_USED: readonly Value[] = [null, null, null, null, null, null];

/** The values of the `ENDED` and `USED` columns while a request runs. */
const NOT_ENDED: readonly Value[] = [
  ...["held", 0, 0, 0, 0, null, NO_ATTEMPTS_YET, null, null, null, null],
  ...NOTHING_USED,
  null,
];

/** All values of a request whose admission and end are both new. */
function endedRow(request: RequestState, op: BookAdmit, end: RequestEnd, referenceOf: ReferenceOf): Value[] {
  const { answered } = end;
  const { model, price } = answered ?? op;
  const admitted: Value[] = [
    op.request_id,
    op.client_request_id,
    op.account_id,
    op.key_id,
    referenceOf(op.endpoint),
    op.stream ? 1 : 0,
    op.requested_model === model ? "" : op.requested_model,
    referenceOf(model),
    referenceOf(price),
    "",
    request.created_ms,
    null,
    request.hold_micro,
    null,
    op.idempotency_key,
    null,
  ];
  const used = answered === null ? NOTHING_USED : usedRow(answered.usage);
  return admitted.concat(endRow(request, end, referenceOf), used, end.charge_seq);
}

function addEnd(rows: RequestRows, request: RequestState, end: RequestEnd, referenceOf: ReferenceOf): void {
  const row = endRow(request, end, referenceOf);
  const { answered } = end;
  if (answered === null) {
    row.push(request.id);
    rows.unanswered.push(row);
    return;
  }
  const { model, price, usage } = answered;
  row.push(...usedRow(usage), end.charge_seq, referenceOf(price), referenceOf(model), model, request.id);
  rows.answered.push(row);
}

function endRow(request: RequestState, end: RequestEnd, referenceOf: ReferenceOf): Value[] {
  const { outcome } = end;
  return [
    request.status,
    end.charge_micro,
    end.operator_loss_micro,
    end.estimated ? 1 : 0,
    end.success ? 1 : 0,
    // An end without an outcome is a recovery: the request's process died.
    outcome === null ? "internal_error" : outcome.error,
    outcome === null ? "[]" : referringAttempts(outcome.attempts, referenceOf),
    end.ended_ms,
    outcome?.queue_ms ?? null,
    outcome?.first_byte_ms ?? null,
    outcome?.duration_ms ?? null,
  ];
}

function usedRow(usage: BookUsage): Value[] {
  return [
    usage.input_tokens,
    usage.cache_read_tokens,
    usage.cache_write_tokens,
    usage.output_tokens,
    usage.reasoning_tokens,
    usage.usage_extra,
  ];
}
