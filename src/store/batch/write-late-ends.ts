import type { UnitCount } from "../../core/money/price-classes.ts";
import type { LateEnd, WorkingSet } from "../../ledger/books/working-set.ts";
import { addEach, type Columns, type ColumnType, insertEach, type Value } from "../sql/statement.ts";
import type { AddStep } from "../sql/work.ts";

const UNITS = {
  input_characters: "bigint",
  input_seconds: "bigint",
  images: "bigint",
  searches: "bigint",
} as const satisfies Readonly<Record<UnitCount, ColumnType>>;

const insertLate = insertEach("late_settlements", {
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
});

const COUNTS = {
  cost_micro: "bigint",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  success_count: "bigint",
  ...UNITS,
} as const satisfies Columns;

/** Changes rows that the recoveries wrote: what is added may be negative, and the sums never are. */
const addToUsage = addEach("usage_days", COUNTS, { account_id: "text", day: "bigint", key_id: "text", model: "text" });

const addToProjectUsage = addEach("usage_projects", COUNTS, {
  account_id: "text",
  project_id: "text",
  day: "bigint",
  key_id: "text",
  model: "text",
});

const addToTagUsage = addEach("usage_tags", COUNTS, {
  ...{ account_id: "text", name: "text", day: "bigint", value: "text", key_id: "text", model: "text" },
  project_id: "text",
});

/** Writes ends that came after a recovery (docs/rulings.md 146), behind the usage that the batch counts itself. */
export function addLateEnds({ late }: WorkingSet, add: AddStep): void {
  if (late.length === 0) return;
  add(insertLate, late.map(lateRow));
  // One statement changes a row once: of several ends that concern one row, each has a statement.
  for (const end of late) {
    add(addToUsage, [[...usageOf(end), end.account_id, end.day, end.key_id, end.model]]);
    if (end.project_id !== null)
      add(addToProjectUsage, [[...usageOf(end), end.account_id, end.project_id, end.day, end.key_id, end.model]]);
    for (const [name, value] of end.tags?.counted ?? []) {
      const place = [end.account_id, name, end.day, value, end.key_id, end.model, end.project_id ?? ""];
      add(addToTagUsage, [[...usageOf(end), ...place]]);
    }
  }
}

function lateRow(end: LateEnd): Value[] {
  return [
    end.request_id,
    end.account_id,
    end.entry_seq,
    end.booked_ms,
    end.difference_micro,
    end.prompt_tokens,
    end.completion_tokens,
    end.success_count,
    ...unitsOf(end),
    end.outcome,
  ];
}

function usageOf(end: LateEnd): Value[] {
  return [end.difference_micro, end.prompt_tokens, end.completion_tokens, end.success_count, ...unitsOf(end)];
}

/** The values of the `UNITS` columns. */
function unitsOf({ input_characters, input_seconds, images, searches }: LateEnd): Value[] {
  return [input_characters, input_seconds, images, searches];
}
