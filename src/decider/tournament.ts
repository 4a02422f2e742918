import type { Debias } from "../core/catalog/decide-with.ts";
import { orderCount, ordersOf } from "./orders.ts";

/** The limit for the calls of one question; two orders of every group are asked in any case. */
export const MOST_CALLS = 128;

/** Scores groups of items: returns, for each group and each of its orders, the log-scores by place in the group. */
export type ScoreGroups = (groups: readonly { items: readonly number[]; orders: number[][] }[]) => Promise<number[][]>;

/**
 * Log-scores of any number of items where one call can list only `fit` of them. More items are asked in groups, and the
 * winners of the groups meet in a final, which may need groups again.
 *
 * The winner connects a group's scale with the final's: log v(item) = log f(winner) + log p(item) − log p(winner), with
 * p within the group and f in the final. For a model whose preferences do not depend on which other items are listed
 * (Luce's choice axiom), that is exactly what one call with all items would give. The scores are finite, so every item
 * has a probability (docs/rulings.md 100).
 */
export async function scoreByTournament(
  count: number,
  fit: number,
  debias: Debias,
  score: ScoreGroups,
): Promise<number[]> {
  const items = Array.from({ length: count }, (_, index) => index);
  const most = Math.floor(MOST_CALLS / groupsNeeded(count, fit));
  return await rounds(items, { fit, debias, most, score });
}

/**
 * The calls of `scoreByTournament`, and in how many orders its first groups are listed at least: neither depends on the scores.
 */
export function callsOfTournament(count: number, fit: number, debias: Debias): { calls: number; listings: number } {
  const most = Math.floor(MOST_CALLS / groupsNeeded(count, fit));
  let calls = 0;
  let listings: number | null = null;
  for (let left = count; ; ) {
    const groups = Math.ceil(left / fit);
    const larger = left % groups;
    const [least, greatest] = [Math.floor(left / groups), Math.ceil(left / groups)];
    calls += (groups - larger) * orderCount(least, debias, most) + larger * orderCount(greatest, debias, most);
    listings ??= orderCount(least, debias, most);
    if (groups === 1) return { calls, listings };
    left = groups;
  }
}

interface Rules {
  readonly fit: number;
  readonly debias: Debias;
  /** The largest number of orders of a group. */
  readonly most: number;
  readonly score: ScoreGroups;
}

/** The log-scores of these items, in their order. */
async function rounds(items: readonly number[], rules: Rules): Promise<number[]> {
  const groups = groupsOf(items, rules.fit);
  const asked = groups.map((group) => ({ items: group, orders: ordersOf(group.length, rules.debias, rules.most) }));
  const within = await rules.score(asked);
  const [only = []] = within;
  if (groups.length === 1) return only;
  const winners = within.map(indexOfLargest);
  const final = await rounds(
    groups.map((group, index) => group[winners[index] ?? 0] ?? 0),
    rules,
  );
  return within.flatMap((scores, index) => {
    const shift = (final[index] ?? 0) - (scores[winners[index] ?? 0] ?? 0);
    return scores.map((value) => value + shift);
  });
}

/** Splits items, in their order, into as few groups as possible, whose sizes differ by at most one. */
function groupsOf(items: readonly number[], fit: number): number[][] {
  const count = Math.ceil(items.length / fit);
  return Array.from({ length: count }, (_, index) =>
    items.slice(Math.floor((index * items.length) / count), Math.floor(((index + 1) * items.length) / count)),
  );
}

/** The number of groups in all rounds together: the number of calls with one order for each group. */
function groupsNeeded(count: number, fit: number): number {
  const groups = Math.ceil(count / fit);
  return groups === 1 ? 1 : groups + groupsNeeded(groups, fit);
}

function indexOfLargest(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}
