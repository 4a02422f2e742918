import type { Model } from "../../core/catalog/catalog.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import { type Price, unpricedOf } from "../../core/money/price.ts";
import { lifetimeIn } from "../../core/money/price-classes.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { WrongRow } from "../../core/operations/incidents.ts";
import type { UpkeepStore } from "../../core/operations/upkeep.ts";
import type { Log } from "../../observe/log.ts";
import { quietly } from "../../observe/quietly.ts";

type RowStore = Pick<UpkeepStore, "noteWrongRow" | "wrongRows">;

/**
 * Rows of the catalogue that a vendor's usage contradicts (docs/rulings.md 171). Until such a row changes, every node treats its model as
 * one whose output is not all visible: the database keeps the rows, as incidents.
 */
export class WrongRows {
  /** Raised whenever a row is added. */
  version = 0;
  readonly #store: RowStore;
  readonly #log: Log;
  readonly #known = new Set<string>();
  /** When this process last reported each row, by the monotonic clock. */
  readonly #told_ms = new Map<string, number>();

  constructor(store: RowStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Loads the rows that were found before this process started, and on other nodes. */
  async refresh(): Promise<void> {
    for (const row of await this.#store.wrongRows()) this.#add(keyOf(row));
  }

  /** The model for planning: one whose row is wrong may generate output that is not visible. */
  asFound(model: Model): Model {
    return this.#known.size > 0 && this.#known.has(keyOf(rowOf(model))) ? { ...model, thinking_unsaid: true } : model;
  }

  /** Records that a row is wrong, once a day, in the background. Never throws. */
  found(model: Model, why: string, now_ms: number): void {
    const row = rowOf(model);
    const key = keyOf(row);
    if (now_ms - (this.#told_ms.get(key) ?? Number.NEGATIVE_INFINITY) < MS_PER_DAY) return;
    this.#told_ms.set(key, now_ms);
    this.#add(key);
    quietly(this.#log, () => this.#log.warn({ model: model.id, row: row.row }, `the model's row is wrong: ${why}`));
    this.#store.noteWrongRow(row, why).catch((err: unknown) => {
      this.#told_ms.delete(key);
      quietly(this.#log, () => this.#log.warn({ err, model: model.id }, "a wrong row could not be recorded"));
    });
  }

  #add(key: string): void {
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.version += 1;
  }
}

function keyOf({ model, row }: WrongRow): string {
  return `${model} ${row}`;
}

const rows = new WeakMap<Model, WrongRow>();

/** A row by a hash of what decides about holds. */
function rowOf(model: Model): WrongRow {
  const known = rows.get(model);
  if (known !== undefined) return known;
  const { id, capabilities, context_length, max_completion_tokens, output_modalities, prices } = model;
  const versions = prices.map(({ version }) => version);
  const text = JSON.stringify([capabilities, context_length, max_completion_tokens, output_modalities, versions]);
  const row = { model: id, row: new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12) };
  rows.set(model, row);
  return row;
}

/** Why a usage contradicts a model's row; null where it does not. `choices` answers were asked for. */
export function contradiction(usage: Usage, model: Model, { price, choices }: AskedChoices): string | null {
  const { capabilities, max_completion_tokens: most } = model;
  if (usage.reasoning_tokens > 0 && !capabilities.thinking && model.thinking_unsaid !== true)
    return "it says thinking: false, and the usage has reasoning; write thinking: true";
  if (usage.extra !== undefined) {
    const writes = unpricedOf(usage, price).find((name) => lifetimeIn(name) !== null);
    if (writes !== undefined)
      return `it has no price for cache writes of the lifetime that the usage counts as ${writes}; write one`;
  }
  if (most !== null && usage.output_tokens > (most + SLACK_TOKENS) * choices)
    return `it says max_completion_tokens: ${most}, and the usage has more output; write the model's own`;
  return null;
}

/** The token that ends an answer, and the least caps that vendors take. */
const SLACK_TOKENS = 16;

interface AskedChoices {
  readonly price: Price;
  readonly choices: number;
}
