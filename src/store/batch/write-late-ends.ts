import type { UnitCount } from "../../core/money/price-classes.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import { addEach, type ColumnType, insertEach, valuesBy } from "../sql/statement.ts";
import type { AddStep } from "../sql/work.ts";

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

const COUNTS = {
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
const addToUsage = addEach("usage_days", COUNTS, PLACE);
const addToProjectUsage = addEach("usage_projects", COUNTS, PROJECT_PLACE);
const addToTagUsage = addEach("usage_tags", COUNTS, TAG_PLACE);
const usageRow = valuesBy({ ...COUNTS, ...PLACE });
const projectUsageRow = valuesBy({ ...COUNTS, ...PROJECT_PLACE });
const tagUsageRow = valuesBy({ ...COUNTS, ...TAG_PLACE });

/** Writes ends that came after a recovery (docs/rulings.md 146), behind the usage that the batch counts itself. */
export function addLateEnds({ late }: WorkingSet, add: AddStep): void {
  if (late.length === 0) return;
  add(insertLate, late.map(lateRow));
  // One statement changes a row once: of several ends that concern one row, each has a statement.
  for (const end of late) {
    const { project_id, difference_micro: cost_micro } = end;
    add(addToUsage, [usageRow({ ...end, cost_micro })]);
    if (project_id !== null) add(addToProjectUsage, [projectUsageRow({ ...end, cost_micro, project_id })]);
    for (const [name, value] of end.tags?.counted ?? [])
      add(addToTagUsage, [tagUsageRow({ ...end, cost_micro, project_id: project_id ?? "", name, value })]);
  }
}
