import type { AdmitOp, RequestStatus } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import type { Usage } from "../../core/money/usage.ts";
import { extraText, priceText } from "../../ledger/books/row-json.ts";
import type { RequestEnd, RequestState } from "../../ledger/books/working-set.ts";
import * as kinds from "../sql/columns.ts";
import type { ColumnType, Value } from "../sql/statement.ts";
import { ADMISSION, OUTCOME, TERMS } from "./operations.ts";
import { type NumberOf, sharedAttempt } from "./shared-attempt.ts";

/** What the columns of a request's end are made of. While it runs there is no end. */
export interface EndSource {
  readonly request: RequestState;
  readonly end: RequestEnd | null;
  /** The shared text of its one attempt (shared-attempt.ts). */
  readonly attempt: string | null;
}

/** What a new row is made of. */
export interface NewSource extends EndSource {
  readonly op: AdmitOp;
}

export function endSource(request: RequestState): EndSource {
  const { end } = request;
  return { request, end, attempt: sharedAttempt(end?.outcome?.attempts ?? []) };
}

/** A column: its type, and the value that is written. */
export interface RequestColumn<Source> {
  readonly type: ColumnType;
  write(source: Source, numberOf: NumberOf): Value;
}

/** A column that the receipt shows under its name. */
interface ShownColumn<Source, Shape> extends RequestColumn<Source> {
  read(value: unknown): Shape;
}

function of<Source>() {
  const kept = <Shape>(
    { type, toValue }: kinds.ColumnKind<Shape>,
    shapeOf: (source: Source, numberOf: NumberOf) => Shape,
  ): RequestColumn<Source> => ({ type, write: (source, numberOf) => toValue(shapeOf(source, numberOf)) });
  const shown = <Shape>(
    kind: kinds.ColumnKind<Shape>,
    shapeOf: (source: Source) => Shape,
  ): ShownColumn<Source, Shape> => ({ ...kept(kind, shapeOf), read: kind.read });
  return { kept, shown };
}

const { text, textOrNull, int, intOrNull, shortMsOrNull, amount, flag } = kinds;
const admission = of<NewSource>();
const ending = of<EndSource>();

/** The model that answered and its price; those of the admission where there is no answer. */
const named = ({ op, end }: NewSource) => end?.answered ?? op;
/** A value that only a running request needs. */
const running = <Shape>(value: Shape, { end }: EndSource): Shape | null => (end === null ? value : null);

/** The columns of an admission. Its fields with a column of their name are among them (operations.ts). */
export const ADMITTED = {
  id: admission.shown(text, ({ op }) => op.request_id),
  ...shownFields(ADMISSION, ({ op }: NewSource) => op),
  ...shownFields(TERMS, ({ op }: NewSource) => op),
  endpoint_no: admission.kept(int, ({ op }, numberOf) => numberOf(op.endpoint)),
  model_no: admission.kept(int, (source, numberOf) => numberOf(named(source).model)),
  price_no: admission.kept(int, (source, numberOf) => numberOf(priceText(named(source).price))),
  // Null in an ended request that asked for the model that answered.
  requested_model: admission.kept(textOrNull, (source) => {
    const { requested_model } = source.op;
    return source.end !== null && requested_model === named(source).model ? null : requested_model;
  }),
  node_id: admission.kept(text, (source) => running(source.op.node_id, source) ?? ""),
  created_ms: admission.shown(int, ({ request }) => request.created_ms),
  deadline_ms: admission.kept(intOrNull, (source) => running(source.request.deadline_ms, source)),
  hold_micro: admission.shown(amount, ({ request }) => request.hold_micro),
  extended_micro: admission.shown(amount, ({ request }) => request.extended_micro),
  bound_tokens: admission.kept(intOrNull, (source) => running(source.op.bound_tokens, source)),
  idempotency_key: admission.kept(textOrNull, ({ op }) => op.idempotency?.key ?? null),
  progress: admission.kept(textOrNull, (source) => running(source.request.progress, source)),
} as const;

/** Columns that few requests have something in. */
export const MARKS = {
  project_id: admission.shown(textOrNull, ({ request }) => request.project_id),
  tags: admission.kept(textOrNull, ({ request }) => request.tags?.text ?? null),
  tags_counted: admission.kept(textOrNull, ({ request }) => request.tags?.counted_text ?? null),
  rules: admission.kept(textOrNull, ({ request }) => request.rules?.text ?? null),
} as const;

/** An empty list and room for its end: SQLite then changes the row where it is, instead of splitting its page. */
export const NO_ATTEMPTS_YET = `[]${" ".repeat(100)}`;

const attemptOf = ({ end, attempt }: EndSource) => (attempt === null ? undefined : end?.outcome?.attempts[0]);
const countOf = (name: Exclude<keyof Usage, "extra" | "served">) =>
  ending.kept(intOrNull, ({ end }) => end?.answered?.usage[name] ?? null);

/** The columns of an end, with their values while a request runs. */
export const ENDED = {
  status: ending.shown(kinds.word<RequestStatus>(), ({ request, end }) => (end === null ? "held" : request.status)),
  charge_micro: ending.shown(amount, ({ end }) => end?.charge_micro ?? ZERO),
  operator_loss_micro: ending.shown(amount, ({ end }) => end?.operator_loss_micro ?? ZERO),
  estimated: ending.shown(flag, ({ end }) => end?.estimated ?? false),
  success: ending.kept(flag, ({ end }) => end?.success ?? false),
  // An end without an outcome is a recovery: the request's process died.
  error: ending.kept(textOrNull, ({ end }) =>
    end?.outcome === null ? "internal_error" : (end?.outcome.error ?? null),
  ),
  attempts: ending.kept(textOrNull, ({ end, attempt }) => {
    if (end === null) return NO_ATTEMPTS_YET;
    const attempts = end.outcome?.attempts ?? [];
    return attempt !== null || attempts.length === 0 ? null : JSON.stringify(attempts);
  }),
  attempt_no: ending.kept(intOrNull, ({ attempt }, numberOf) => (attempt === null ? null : numberOf(attempt))),
  attempt_first_byte_ms: ending.kept(shortMsOrNull, (source) => attemptOf(source)?.first_byte_ms ?? null),
  attempt_duration_ms: ending.kept(shortMsOrNull, (source) => attemptOf(source)?.duration_ms ?? null),
  ...shownFields(OUTCOME, ({ end }: EndSource) => end?.outcome),
  ended_ms: ending.shown(intOrNull, ({ end }) => end?.ended_ms ?? null),
  input_tokens: countOf("input_tokens"),
  cache_read_tokens: countOf("cache_read_tokens"),
  cache_write_tokens: countOf("cache_write_tokens"),
  output_tokens: countOf("output_tokens"),
  reasoning_tokens: countOf("reasoning_tokens"),
  usage_extra: ending.kept(textOrNull, ({ end }) => (end?.answered ? extraText(end.answered.usage) : null)),
  answer_digest: ending.kept(intOrNull, ({ end }) => end?.outcome?.answer_digest ?? null),
  charge_seq: ending.kept(intOrNull, ({ end }) => end?.charge_seq ?? null),
} as const;

/** The columns of the fields that have one under their name. */
type FieldColumns<Fields, Source> = {
  readonly [Name in keyof Fields as Fields[Name] extends { readonly column: unknown }
    ? Name
    : never]: Fields[Name] extends { readonly column: kinds.ColumnKind<infer Shape> }
    ? ShownColumn<Source, Shape>
    : never;
};

function shownFields<Fields extends object, Source>(
  fields: Fields,
  recordOf: (source: Source) => { readonly [Name in keyof Fields]?: unknown } | null | undefined,
): FieldColumns<Fields, Source> {
  const columns: Record<string, ShownColumn<Source, unknown>> = {};
  for (const [name, field] of Object.entries(fields) as [keyof Fields & string, Partial<WithColumn>][])
    if (field.column !== undefined)
      columns[name] = of<Source>().shown(field.column, (source) => recordOf(source)?.[name] ?? null);
  return columns as FieldColumns<Fields, Source>;
}

interface WithColumn {
  readonly column: kinds.ColumnKind<unknown>;
}

/** What the receipt shows of a row, by the names of the columns. */
type ShownIn<Group> = {
  readonly [Name in keyof Group as Group[Name] extends { read(value: unknown): unknown }
    ? Name
    : never]: Group[Name] extends { read(value: unknown): infer Shape } ? Shape : never;
};
type ShownColumns = ShownIn<typeof ADMITTED> & ShownIn<typeof MARKS> & ShownIn<typeof ENDED>;

const SHOWN = Object.entries({ ...ADMITTED, ...MARKS, ...ENDED } as Record<string, object>).filter(
  (entry): entry is [string, ShownColumn<never, unknown>] => "read" in entry[1],
);

/** The names of the columns that receipts show. */
export const SHOWN_NAMES: readonly string[] = SHOWN.map(([name]) => name);

export function readShown(row: Readonly<Record<string, unknown>>): ShownColumns {
  return Object.fromEntries(SHOWN.map(([name, { read }]) => [name, read(row[name])])) as ShownColumns;
}
