import { ZERO } from "../../core/money/money.ts";
import { NO_UNITS } from "../../core/money/price-classes.ts";
import type { ProjectUsageChange, RequestTags, TagUsageChange, UsageChange, WorkingSet } from "./working-set.ts";

/** The change of a day's usage row that the batch adds to: one for each account, key and model. */
export function usageChangeOf(working: WorkingSet, account_id: string, key_id: string, model: string): UsageChange {
  // Most operations of a batch are of the same key and model.
  const { last_usage: last } = working;
  if (last !== null && last.key_id === key_id && last.model === model && last.account_id === account_id) return last;
  const id = usageId({ account_id, key_id, model });
  const change = changeIn(working.usage, id, working.changed_usage, () => {
    return { account_id, day: working.day, key_id, model, ...NOTHING };
  });
  working.last_usage = change;
  return change;
}

/** The change with an id, which is made and listed where there is none yet. */
function changeIn<Change>(changes: Map<string, Change>, id: string, listed: Change[], make: () => Change): Change {
  let change = changes.get(id);
  if (change === undefined) {
    change = make();
    changes.set(id, change);
    listed.push(change);
  }
  return change;
}

const NOTHING = {
  cost_micro: ZERO,
  prompt_tokens: 0,
  completion_tokens: 0,
  ended_count: 0,
  success_count: 0,
  refused_count: 0,
  replayed_count: 0,
  ...NO_UNITS,
} as const;

/** The change of a project's usage row of today: one for each project, key and model. */
export function projectUsageChangeOf(
  working: WorkingSet,
  { account_id, key_id, project_id }: Pick<ProjectUsageChange, "account_id" | "key_id" | "project_id">,
  model: string,
): ProjectUsageChange {
  const id = projectUsageId({ project_id, key_id, model });
  return changeIn(working.project_usage, id, working.changed_project_usage, () => {
    return { project_id, account_id, day: working.day, key_id, model, ...NOTHING };
  });
}

/** The id of a project's change of usage among the changes of its day. */
export function projectUsageId({
  project_id,
  key_id,
  model,
}: Pick<ProjectUsageChange, "project_id" | "key_id" | "model">): string {
  return `${project_id} ${key_id} ${model}`;
}

/** The changes of the usage rows of a request's own tags of today: one for each of its tags. */
export function tagUsageChangesOf(
  working: WorkingSet,
  place: Pick<UsageChange, "account_id" | "key_id" | "model"> & { readonly project_id: string | null },
  { counted }: RequestTags,
): TagUsageChange[] {
  const { account_id, key_id, model } = place;
  const project_id = place.project_id ?? "";
  return counted.map(([name, value]) => {
    const of_tag = { name, value, project_id, key_id, model };
    const id = tagUsageId({ account_id, ...of_tag });
    return changeIn(working.tag_usage, id, working.changed_tag_usage, () => {
      return { account_id, day: working.day, ...of_tag, ...NOTHING };
    });
  });
}

/** The id of a tag's change of usage among the changes of its day. */
export function tagUsageId(change: Omit<TagUsageChange, keyof typeof NOTHING | "day">): string {
  const { account_id, key_id, model, project_id, name, value } = change;
  return JSON.stringify([account_id, key_id, project_id, name, value, model]);
}

export function usageId({ account_id, key_id, model }: Pick<UsageChange, "account_id" | "key_id" | "model">): string {
  return `${account_id} ${key_id} ${model}`;
}
