import type { KeyState, RuleState, SharedLimitState, WorkingSet } from "../../ledger/books/working-set.ts";
import { addedTo, type Columns, insertEach, taken, updateEach, type Value, valuesBy } from "../sql/statement.ts";
import type { AddStep, Step, Work } from "../sql/work.ts";
import { SharedTexts } from "./shared-texts.ts";
import { addEntries } from "./write-entries.ts";
import { addIdempotency } from "./write-idempotency.ts";
import { addLateEnds } from "./write-late-ends.ts";
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

/** The values of the `SHARED_COUNTS` columns. */
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
