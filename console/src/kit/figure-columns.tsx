import type { Column } from "./data-table.tsx";
import { formatColumnDuration, formatColumnShare, moneyDecimals } from "./format.ts";
import { Count, Money, None } from "./values.tsx";

/**
 * Columns of figures. All figures of a column are written alike, so that they can be read from top to bottom: amounts and durations with the
 * same decimals, counts with all of their digits. An amount is exact on hover.
 */
interface Figures<Row> extends Pick<Column<Row>, "key" | "header" | "wide_only" | "className"> {
  readonly of: (row: Row) => number | null;
  /** Whether the column can be sorted. Default: it can. */
  readonly sorts?: boolean;
}

function figures<Row>({ key, header, wide_only, className, of, sorts = true }: Figures<Row>) {
  return {
    ...{ key, header, numeric: true },
    className: `whitespace-nowrap ${className ?? ""}`,
    ...(wide_only === undefined ? {} : { wide_only }),
    ...(sorts ? { sortBy: of } : {}),
  };
}

/** Amounts in micro units. `face`: the classes of an amount, such as red where it is negative. */
export function moneyColumn<Row>(
  column: Figures<Row> & { currency: string | ((row: Row) => string); face?: (micro: number) => string },
): Column<Row> {
  const { of, currency, face } = column;
  return {
    ...figures(column),
    scale: (rows) => moneyDecimals(rows.map(of)),
    cell: (row, decimals) => {
      const micro = of(row);
      return (
        <Money
          micro={micro}
          currency={typeof currency === "string" ? currency : currency(row)}
          decimals={decimals}
          className={face?.(micro ?? 0) ?? ""}
        />
      );
    },
  };
}

/** Counts: of requests, of tokens. */
export function countColumn<Row>(column: Figures<Row>): Column<Row> {
  return { ...figures(column), cell: (row) => <Count count={column.of(row)} /> };
}

/** Shares from 0 to 1. */
export function shareColumn<Row>(column: Figures<Row>): Column<Row> {
  return {
    ...figures(column),
    cell: (row) => {
      const share = column.of(row);
      return share === null ? <None /> : formatColumnShare(share);
    },
  };
}

/** Durations in milliseconds. */
export function durationColumn<Row>(column: Figures<Row>): Column<Row> {
  return {
    ...figures(column),
    scale: (rows) => longestOf(rows.map(column.of)),
    cell: (row, longest_ms) => {
      const duration_ms = column.of(row);
      return duration_ms === null ? <None /> : formatColumnDuration(duration_ms, longest_ms);
    },
  };
}

/** The scale of a column's durations. */
export function longestOf(durations_ms: readonly (number | null)[]): number {
  return durations_ms.reduce<number>((longest, each) => Math.max(longest, each ?? 0), 0);
}
