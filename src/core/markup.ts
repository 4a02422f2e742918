/**
 * What a price that follows the vendors' prices adds to them (docs/adr/0046). A percentage, and a fixed part on every token class.
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
