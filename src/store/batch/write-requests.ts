import { priceText } from "../../ledger/books/row-json.ts";
import type { RequestState, WorkingSet } from "../../ledger/books/working-set.ts";
import {
  ADMITTED,
  ENDED,
  type EndSource,
  endSource,
  MARKS,
  type NewSource,
  NO_ATTEMPTS_YET,
  type RequestColumn,
} from "../record/request-columns.ts";
import type { NumberOf } from "../record/shared-attempt.ts";
import { type Columns, insertEach, type SetStatement, updateEach, type Value } from "../sql/statement.ts";
import type { AddStep } from "../sql/work.ts";
import type { SharedTexts } from "./shared-texts.ts";

export function changedSources({ changed_requests }: WorkingSet): readonly EndSource[] {
  return changed_requests.map(endSource);
}

/** The texts of a batch's requests that have no known numbers. Usually there are none. */
export function unknownTexts(sources: readonly EndSource[], texts: SharedTexts): ReadonlySet<string> {
  let unknown = NOTHING_UNKNOWN;
  const meet = (text: string | null): void => {
    if (text === null || texts.has(text)) return;
    if (unknown === NOTHING_UNKNOWN) unknown = new Set();
    unknown.add(text);
  };
  for (const { request, end, attempt } of sources) {
    const { admitted } = request;
    if (admitted !== null) meet(admitted.endpoint);
    const named = end?.answered ?? admitted;
    if (named !== null) {
      meet(named.model);
      meet(priceText(named.price));
    }
    meet(attempt);
  }
  return unknown;
}

const NOTHING_UNKNOWN = new Set<string>();

/** Inserts new requests in the order of their admission, then changes the requests that have rows already. */
export function addRequests(sources: readonly EndSource[], numberOf: NumberOf, add: AddStep): void {
  addNew(sources, numberOf, add);
  const running: Value[][] = [];
  const ended: Value[][] = [];
  for (const source of sources) {
    const { request, end } = source;
    if (request.admitted !== null) continue;
    if (request.hold_changed) running.push(holdRow(request));
    if (end !== null) ended.push(endRow(source, numberOf));
  }
  add(updateHolds, running);
  add(endRequests, ended);
}

/**
 * Inserts all new requests by one statement, running ones and ended ones alike: the two kinds come mixed, and a statement
 * for each would insert only a few rows at a time. The columns of an end, and those of project and tags, are there where a request
 * has one.
 */
function addNew(sources: readonly EndSource[], numberOf: NumberOf, add: AddStep): void {
  const fresh: NewSource[] = [];
  let any_ended = false;
  let any_marked = false;
  for (const source of sources) {
    const { admitted, project_id, tags, rules } = source.request;
    if (admitted === null) continue;
    fresh.push({ ...source, op: admitted });
    any_ended ||= source.end !== null;
    any_marked ||= project_id !== null || tags !== null || rules !== null;
  }
  if (fresh.length === 0) return;
  const { statement, columns } = INSERTIONS[any_ended ? "whole" : "held"][any_marked ? "marked" : "plain"];
  add(
    statement,
    fresh.map((source) => valuesOf(columns, source, numberOf)),
  );
}

type RequestColumns<Source> = readonly RequestColumn<Source>[];

function valuesOf<Source>(columns: RequestColumns<Source>, source: Source, numberOf: NumberOf): Value[] {
  const values: Value[] = [];
  for (const column of columns) values.push(column.write(source, numberOf));
  return values;
}

function typesOf(group: Readonly<Record<string, Pick<RequestColumn<never>, "type">>>): Columns {
  return Object.fromEntries(Object.entries(group).map(([name, { type }]) => [name, type]));
}

function insertionOf(group: Readonly<Record<string, RequestColumn<NewSource>>>, is_held: boolean) {
  const types = typesOf(group);
  const held = insertEach("requests", types, { constants: { status: "'held'", attempts: `'${NO_ATTEMPTS_YET}'` } });
  const statement: SetStatement = is_held
    ? { ...held, postgres: insertEach("requests", types, { constants: { status: "'held'" } }).postgres }
    : insertEach("requests", types, {
        sqlite_as: { deadline_ms: "coalesce(?, 0)", bound_tokens: "coalesce(?, 0)" },
      });
  return { statement, columns: Object.values(group) };
}

const INSERTIONS = {
  held: { plain: insertionOf(ADMITTED, true), marked: insertionOf({ ...ADMITTED, ...MARKS }, true) },
  whole: {
    plain: insertionOf({ ...ADMITTED, ...ENDED }, false),
    marked: insertionOf({ ...ADMITTED, ...ENDED, ...MARKS }, false),
  },
} as const;

/** Only requests that run are changed. */
const HELD = ["status", "'held'"] as const;

const updateHolds = updateEach(
  "requests",
  {
    hold_micro: "bigint",
    deadline_ms: "bigint",
    progress: "text",
    extended_micro: { type: "bigint", as: "extended_micro + $" },
  },
  { id: "text" },
  { only: HELD },
);

function holdRow({ id, hold_micro, deadline_ms, progress, extended_micro }: RequestState): Value[] {
  return [hold_micro, deadline_ms, progress, extended_micro, id];
}

/** The columns that only a running request needs, with their values in ended requests. */
const ENDED_COLUMNS = { node_id: "''", deadline_ms: "0", bound_tokens: "0", progress: "NULL" } as const;
/** PostgreSQL stores a zero in eight bytes and a NULL in none. */
const ENDED_COLUMNS_POSTGRES = { ...ENDED_COLUMNS, deadline_ms: "NULL", bound_tokens: "NULL" } as const;

const endRequests: SetStatement = { ...endWith(ENDED_COLUMNS), postgres: endWith(ENDED_COLUMNS_POSTGRES).postgres };

function endWith(constants: Readonly<Record<string, string>>): SetStatement {
  return updateEach(
    "requests",
    {
      ...typesOf(ENDED),
      // A request without an answer keeps those of its admission.
      model_no: { type: "bigint", as: "coalesce($, model_no)" },
      price_no: { type: "bigint", as: "coalesce($, price_no)" },
      requested_model: { type: "text", as: "nullif(requested_model, $)" },
    },
    { id: "text" },
    { constants, only: HELD },
  );
}

const END_COLUMNS: RequestColumns<EndSource> = Object.values(ENDED);

function endRow(source: EndSource, numberOf: NumberOf): Value[] {
  const { request, end } = source;
  const answered = end?.answered ?? null;
  const row = valuesOf(END_COLUMNS, source, numberOf);
  if (answered === null) row.push(null, null, request.model, request.id);
  else row.push(numberOf(answered.model), numberOf(priceText(answered.price)), answered.model, request.id);
  return row;
}
