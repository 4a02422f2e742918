import { micro } from "../../core/money/money.ts";
import { toInt, toMicro } from "./values.ts";

/** What reports on usage and on traffic have in common: sums by name, and groups of which the last has all that is left. */

/** The sums of a report. `nothing` names them, and has zero of each: an amount, a count, or a row of counts. */
export class Sums<S extends object> {
  readonly nothing: S;
  readonly #names: readonly (keyof S & string)[];

  constructor(nothing: S) {
    this.nothing = nothing;
    this.#names = Object.keys(nothing) as (keyof S & string)[];
  }

  /** The sums in a row's columns of these names; rows of counts are none of them. */
  read(row: Readonly<Record<keyof S, unknown>>): S {
    const read = this.#names.map((name) => {
      const zero: unknown = this.nothing[name];
      return [name, typeof zero === "bigint" ? toMicro(row[name]) : typeof zero === "number" ? toInt(row[name]) : zero];
    });
    return Object.fromEntries(read) as S;
  }

  /** Each sum of `a` plus `sign` times that of `b`, and nothing else that they have. */
  combine(a: S, b: S, sign: 1 | -1): S {
    return Object.fromEntries(this.#names.map((name) => [name, combined(a[name], b[name], sign)])) as S;
  }

  total(parts: readonly S[]): S {
    return parts.reduce<S>((sum, part) => this.combine(sum, part, 1), this.nothing);
  }

  /** What a whole has beyond its parts. */
  rest(whole: S, parts: readonly S[]): S {
    return parts.reduce<S>((left, part) => this.combine(left, part, -1), this.combine(whole, this.nothing, 1));
  }
}

function combined(a: unknown, b: unknown, sign: 1 | -1): unknown {
  if (typeof a === "bigint" && typeof b === "bigint") return micro(a + BigInt(sign) * b);
  if (typeof a === "number" && typeof b === "number") return a + sign * b;
  if (Array.isArray(a) && Array.isArray(b)) return a.map((count, at) => combined(count, b[at] ?? 0, sign));
  throw new TypeError(`a report adds ${typeof b} to ${typeof a}`);
}

/** A group's sums in a period; the group is null for the rest of them. */
export interface ReportCell<Period, S> {
  readonly period: Period;
  readonly group: string | null;
  readonly sums: S;
}

/** How cells are stacked: the groups in their order, and the sums of each whole period where the rest beyond the groups gets a cell too. */
interface Stack<Period, S extends object> {
  readonly sums: Sums<S>;
  readonly groups: readonly string[];
  readonly wholes: readonly (readonly [Period, S])[] | null;
  readonly isAny: (rest: S) => boolean;
}

/** The cells period by period in the order of the groups, each period's rest last. `cells` are in the order of their periods. */
export function stackCells<Period, S extends object>(
  cells: readonly ReportCell<Period, S>[],
  { sums, groups, wholes, isAny }: Stack<Period, S>,
): ReportCell<Period, S>[] {
  const ranks = new Map<string | null, number>(groups.map((group, rank) => [group, rank]));
  const rankOf = ({ group }: ReportCell<Period, S>): number => ranks.get(group) ?? groups.length;
  const by_period = Map.groupBy(cells, ({ period }) => period);
  const cellsOf = (period: Period) => (by_period.get(period) ?? []).toSorted((a, b) => rankOf(a) - rankOf(b));
  if (wholes === null) return [...by_period.keys()].flatMap(cellsOf);
  return wholes.flatMap(([period, whole]) => {
    const own = cellsOf(period);
    const parts = own.map((cell) => cell.sums);
    const rest = sums.rest(whole, parts);
    return isAny(rest) ? [...own, { period, group: null, sums: rest }] : own;
  });
}
