/**
 * The markup of a price that follows the vendors' prices (docs/design/prices-and-receipts.md): a percentage, and a fixed part on every token class.
 */
export interface Markup {
  /** When the price begins to follow, milliseconds since the epoch; 0 for always. */
  readonly from_ms: number;
  /** When the configuration's next price takes over; null where none is planned. */
  readonly until_ms: number | null;
  /** In millionths: 1,200,000 for a markup of 20 percent. */
  readonly factor_millionths: number;
  /** On input, cache reads and cache writes. */
  readonly add_input_micro_per_mtok: number;
  readonly add_output_micro_per_mtok: number;
}

/** The markup that made a price which begins at a time; null where the price has figures of its own. */
export function markupOf({ from_ms }: { readonly from_ms: number }, markups: readonly Markup[]): Markup | null {
  const holds = ({ from_ms: since_ms, until_ms }: Markup) =>
    since_ms <= from_ms && (until_ms === null || from_ms < until_ms);
  return markups.find(holds) ?? null;
}

/** A markup's percentage as an exact decimal, `12.5`: a factor of 1.125 is 125,000 ten-thousandths of a percent above 1. */
export function percentOf({ factor_millionths }: Markup): string {
  return ((factor_millionths - 1_000_000) / 10_000).toString();
}
