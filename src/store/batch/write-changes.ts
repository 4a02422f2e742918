import type { UnitCount } from "../../core/money/price-classes.ts";
import type { IdempotencyEnd, IdempotencyOwner, IdempotencyState } from "../../ledger/books/booked-rows.ts";
import { TOP_UP_ACTOR, TOP_UP_NOTE } from "../../ledger/books/top-up.ts";
import type { KeyState, RuleState, SharedLimitState, WorkingSet } from "../../ledger/books/working-set.ts";
import {
  addEach,
  addedTo,
  type Columns,
  type ColumnType,
  deleteEach,
  insertEach,
  taken,
  updateEach,
  type Value,
  valuesBy,
} from "../sql/statement.ts";
import type { AddStep, Step, Work } from "../sql/work.ts";
import { SharedTexts } from "./shared-texts.ts";
import { addRequests, changedSources, unknownTexts } from "./write-requests.ts";

/** Writes what a batch has changed, the rows of each table together. `texts` has the numbers that earlier batches met. */
export function* writeChanges(working: WorkingSet, texts = new SharedTexts()): Work<void> {
  const steps = yield* changeSteps(working, texts);
  if (steps.length > 0) yield steps;
}

export function* changeSteps(working: WorkingSet, texts: SharedTexts): Work<readonly Step[]> {
  const requests = changedSources(working);
  const numberOf = yield* texts.numbers(unknownTexts(requests, texts));
  const steps: Step[] = [];
  const add: AddStep = (statement, params) => {
    if (params.length > 0) steps.push({ statement, params });
  };
  addRequests(requests, numberOf, add);
  addEntries(working, add);
  add(updateAccounts, accountRows(working));
  add(updateTopUps, topUpRows(working));
  add(updateKeyStates, working.changed_keys.map(keyStateRow));
  add(updateAccountLimits, accountLimitRows(working));
  add(updateProjects, working.changed_projects.map(projectRow));
  add(writeRules, working.changed_rules.map(ruleRow));
  add(addUsage, working.changed_usage.map(usageRow));
  add(addProjectUsage, working.changed_project_usage.map(projectUsageRow));
  add(addTagUsage, working.changed_tag_usage.map(tagUsageRow));
  add(addTagNames, working.new_tag_values.map(tagNameRow));
  add(addTagValues, working.new_tag_values.map(tagValueRow));
  addLateEnds(working, add);
  addIdempotency(working, add);
  return steps;
}

const updateAccounts = updateEach(
  "accounts",
  { balance_micro: "bigint", held_micro: "bigint", posted_micro: "bigint", entry_count: "bigint" },
  { id: "text" },
);

function accountRows(working: WorkingSet): Value[][] {
  return working.changed_accounts.map(({ id, wallet, entry_count }) => [
    ...[wallet.balance_micro, wallet.held_micro, wallet.posted_micro],
    ...[entry_count, id],
  ]);
}

const updateTopUps = updateEach(
  "auto_top_ups",
  { month_start_day: "bigint", month_used_micro: "bigint", last_ms: "bigint" },
  { account_id: "text" },
);

function topUpRows(working: WorkingSet): Value[][] {
  const changed: Value[][] = [];
  for (const { id, top_up } of working.ruled_accounts) {
    if (top_up?.changed) changed.push([top_up.month_start_day, top_up.month_used_micro, top_up.last_ms, id]);
  }
  return changed;
}

/** The counts that a key, a project and an account have. */
type CountsOfLimits = Pick<
  SharedLimitState,
  "requests" | "tokens" | "open_count" | "spent_window" | "spent_start_day" | "spent_micro"
>;

const SHARED_COUNTS = {
  requests_limit: "bigint",
  requests_used_units: "bigint",
  requests_at_ms: "bigint",
  tokens_limit: "bigint",
  tokens_used_units: "bigint",
  tokens_at_ms: "bigint",
  open_count: "bigint",
  spent_window: "text",
  spent_start_day: "bigint",
  spent_micro: "bigint",
} as const satisfies Columns;

const updateKeyStates = updateEach(
  "key_state",
  { ...SHARED_COUNTS, held_micro: "bigint", last_used_ms: "bigint" },
  { key_id: "text" },
);

function keyStateRow(key: KeyState): Value[] {
  return [...sharedCounts(key), key.held_micro, key.last_used_ms, key.id];
}

const updateAccountLimits = updateEach("account_limits", SHARED_COUNTS, { account_id: "text" });
const updateProjects = updateEach("projects", { ...SHARED_COUNTS, held_micro: "bigint" }, { id: "text" });

function accountLimitRows(working: WorkingSet): Value[][] {
  return working.changed_limits.flatMap(({ id, limits }) => (limits === null ? [] : [[...sharedCounts(limits), id]]));
}

function projectRow(project: WorkingSet["changed_projects"][number]): Value[] {
  return [...sharedCounts(project), project.held_micro, project.id];
}

function sharedCounts(counts: CountsOfLimits): Value[] {
  const { requests, tokens, open_count, spent_window, spent_start_day, spent_micro } = counts;
  return [
    requests?.limit ?? null,
    requests?.used_units ?? null,
    requests?.at_ms ?? null,
    tokens?.limit ?? null,
    tokens?.used_units ?? null,
    tokens?.at_ms ?? null,
    open_count,
    spent_window,
    spent_start_day,
    spent_micro,
  ];
}

const RULE_COUNTS = {
  ...SHARED_COUNTS,
  held_micro: "bigint",
  budget_micro: "bigint",
  spent_from_ms: "bigint",
  used_ms: "bigint",
} as const satisfies Columns;

const writeRules = insertEach(
  "limit_counts",
  { account_id: "text", rule: "text", value: "text", ...RULE_COUNTS },
  { conflict: `(account_id, rule, value) DO UPDATE SET ${taken(Object.keys(RULE_COUNTS))}` },
);

function ruleRow(state: RuleState): Value[] {
  const { account_id, rule, value, held_micro, budget_micro, spent_from_ms, used_ms } = state;
  return [account_id, rule, value, ...sharedCounts(state), held_micro, budget_micro, spent_from_ms, used_ms];
}

const USAGE_COUNTS = {
  cost_micro: "bigint",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  ended_count: "bigint",
  success_count: "bigint",
  refused_count: "bigint",
  replayed_count: "bigint",
  ...{ input_characters: "bigint", input_seconds: "bigint", images: "bigint", searches: "bigint" },
} as const satisfies Columns;

const addCounts = (table: string): string => addedTo(table, Object.keys(USAGE_COUNTS));

const USAGE = { account_id: "text", day: "bigint", key_id: "text", model: "text", ...USAGE_COUNTS } as const;
const addUsage = insertEach("usage_days", USAGE, {
  conflict: `(account_id, day, key_id, model) DO UPDATE SET ${addCounts("usage_days")}`,
});
const usageRow = valuesBy(USAGE);

const PROJECT_USAGE = { project_id: "text", ...USAGE } as const;
const addProjectUsage = insertEach("usage_projects", PROJECT_USAGE, {
  conflict: `(account_id, project_id, day, key_id, model) DO UPDATE SET ${addCounts("usage_projects")}`,
});
const projectUsageRow = valuesBy(PROJECT_USAGE);

const TAG_USAGE = { name: "text", value: "text", ...PROJECT_USAGE } as const;
const addTagUsage = insertEach("usage_tags", TAG_USAGE, {
  conflict: `(account_id, name, day, value, key_id, model, project_id) DO UPDATE SET ${addCounts("usage_tags")}`,
});
const tagUsageRow = valuesBy(TAG_USAGE);

const TAG_NAME = { account_id: "text", name: "text" } as const;
const addTagNames = insertEach("request_tag_names", TAG_NAME, { conflict: "(account_id, name) DO NOTHING" });
const tagNameRow = valuesBy(TAG_NAME);

const TAG_VALUE = { ...TAG_NAME, day: "bigint", value: "text" } as const;
const addTagValues = insertEach("request_tag_values", TAG_VALUE, {
  conflict: "(account_id, day, name, value) DO NOTHING",
});
const tagValueRow = valuesBy(TAG_VALUE);

const ENTRY = {
  account_id: "text",
  seq: "bigint",
  amount_micro: "bigint",
  posted_after_micro: "bigint",
  created_ms: "bigint",
} as const satisfies Columns;

/** The charge of a request, which the request's row names; it has no actor (docs/design/storage.md). */
const insertCharges = insertEach(
  "entries",
  { ...ENTRY, request_id: "text" },
  { constants: { kind: "'charge'", note: "''", actor: "''" } },
);
const insertTopUps = insertEach("entries", ENTRY, {
  constants: { kind: "'credit'", note: `'${TOP_UP_NOTE}'`, actor: `'${TOP_UP_ACTOR}'` },
});

const insertCorrections = insertEach(
  "entries",
  { ...ENTRY, note: "text", corrects_seq: "bigint" },
  { constants: { kind: "'correction'", actor: "'gateway'" } },
);

/**
 * Inserts new entries in their order, which their sums depend on. Charges, top-ups and corrections have a statement each, so a
 * run of entries of one kind is a step.
 */
function addEntries({ entries }: WorkingSet, add: AddStep): void {
  let run: Value[][] = [];
  let kind = insertCharges;
  for (const { account_id, seq, amount_micro, posted_after_micro, created_ms, request_id, correction } of entries) {
    const statement = request_id !== null ? insertCharges : correction === undefined ? insertTopUps : insertCorrections;
    if (statement !== kind) {
      add(kind, run);
      run = [];
      kind = statement;
    }
    const row: Value[] = [account_id, seq, amount_micro, posted_after_micro, created_ms];
    if (request_id !== null) row.push(request_id);
    else if (correction !== undefined) row.push(correction.note, correction.corrects_seq);
    run.push(row);
  }
  add(kind, run);
}

const KEPT_ANSWER = { state: "text", status: "bigint", content_type: "text", headers: "text", body: "bytea" } as const;

/** Guarded by the request: a record that was replaced meanwhile belongs to another request. */
const OF_REQUEST = { account_id: "text", key: "text", request_id: "text" } as const;
const endIdempotency = updateEach("idempotency", KEPT_ANSWER, OF_REQUEST);
const deleteIdempotency = deleteEach("idempotency", OF_REQUEST);
const insertIdempotency = insertEach("idempotency", {
  account_id: "text",
  key: "text",
  fingerprint: "text",
  request_id: "text",
  expires_ms: "bigint",
  ...KEPT_ANSWER,
});

function idempotencyRows(working: WorkingSet): Value[][] {
  const fresh: Value[][] = [];
  for (const record of working.idempotency.values()) if (record.fresh) fresh.push(idempotencyRow(record));
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
  return [account_id, key, fingerprint, request_id, expires_ms, ...answerValues(record)];
}

function endRow({ account_id, key, request_id, ...record }: IdempotencyEnd): Value[] {
  return [...answerValues(record), account_id, key, request_id];
}

function answerValues({ state, answer }: Pick<IdempotencyState, "state" | "answer">): Value[] {
  if (answer === null) return [state, null, null, null, null];
  return [state, answer.status, answer.content_type, JSON.stringify(answer.headers), answer.body];
}

function ownerRow({ account_id, key, request_id }: IdempotencyOwner): Value[] {
  return [account_id, key, request_id];
}

function addIdempotency(working: WorkingSet, add: AddStep): void {
  add(endIdempotency, working.idempotency_ends.map(endRow));
  add(deleteIdempotency, working.idempotency_deletes.map(ownerRow));
  add(insertIdempotency, idempotencyRows(working));
}

const UNITS = {
  input_characters: "bigint",
  input_seconds: "bigint",
  images: "bigint",
  searches: "bigint",
} as const satisfies Readonly<Record<UnitCount, ColumnType>>;

const LATE = {
  request_id: "text",
  account_id: "text",
  entry_seq: "bigint",
  booked_ms: "bigint",
  difference_micro: "bigint",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  success_count: "bigint",
  ...UNITS,
  outcome: "text",
} as const;
const insertLate = insertEach("late_settlements", LATE);
const lateRow = valuesBy(LATE);

const LATE_COUNTS = {
  cost_micro: "bigint",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  success_count: "bigint",
  ...UNITS,
} as const;
const PLACE = { account_id: "text", day: "bigint", key_id: "text", model: "text" } as const;
const PROJECT_PLACE = { ...PLACE, project_id: "text" } as const;
const TAG_PLACE = { ...PROJECT_PLACE, name: "text", value: "text" } as const;

/** Changes rows that the recoveries wrote: what is added may be negative, and the sums never are. */
const correctUsage = addEach("usage_days", LATE_COUNTS, PLACE);
const correctProjectUsage = addEach("usage_projects", LATE_COUNTS, PROJECT_PLACE);
const correctTagUsage = addEach("usage_tags", LATE_COUNTS, TAG_PLACE);
const lateUsageRow = valuesBy({ ...LATE_COUNTS, ...PLACE });
const lateProjectRow = valuesBy({ ...LATE_COUNTS, ...PROJECT_PLACE });
const lateTagRow = valuesBy({ ...LATE_COUNTS, ...TAG_PLACE });

/** Writes ends that came after a recovery (docs/rulings.md 146), behind the usage that the batch counts itself. */
function addLateEnds({ late }: WorkingSet, add: AddStep): void {
  if (late.length === 0) return;
  add(insertLate, late.map(lateRow));
  // One statement changes a row once: of several ends that concern one row, each has a statement.
  for (const end of late) {
    const { project_id, difference_micro: cost_micro } = end;
    add(correctUsage, [lateUsageRow({ ...end, cost_micro })]);
    if (project_id !== null) add(correctProjectUsage, [lateProjectRow({ ...end, cost_micro, project_id })]);
    for (const [name, value] of end.tags?.counted ?? [])
      add(correctTagUsage, [lateTagRow({ ...end, cost_micro, project_id: project_id ?? "", name, value })]);
  }
}
