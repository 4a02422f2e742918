import { bundledModels } from "../../catalog/bundled/bundled-models.ts";
import type { VendorUse } from "../../core/ledger/books-audit.ts";
import { plainModel } from "./read-bill.ts";

/** The usage of a vendor's model on a day. */
export interface DailyUsage {
  readonly day: number;
  readonly vendor: string;
  readonly model: string;
  requests: number;
  estimated: number;
  by_engine: number;
  input_tokens: number;
  output_tokens: number;
  /** Its cost by the vendor's list prices; null where it is unknown, because requests were priced otherwise. */
  cost_micro: number | null;
}

/** Adds up what requests used at vendors, by day and by the name of the vendor's model as bills have it. */
export class UsageTally {
  readonly #vendor: string | null;
  readonly #used = new Map<string, DailyUsage>();
  readonly #list_versions = new Map<string, ReadonlySet<string>>();

  /** `vendor`: the only vendor that counts; null for all. */
  constructor(vendor: string | null) {
    this.#vendor = vendor;
  }

  get used(): readonly DailyUsage[] {
    return [...this.#used.values()];
  }

  readonly add = (use: VendorUse): void => {
    const { day, vendor, upstream_model } = use;
    if (this.#vendor !== null && vendor !== this.#vendor) return;
    const id = `${day} ${vendor} ${plainModel(upstream_model)}`;
    const none = { requests: 0, estimated: 0, by_engine: 0, input_tokens: 0, output_tokens: 0, cost_micro: 0 };
    const used: DailyUsage = this.#used.get(id) ?? { day, vendor, model: upstream_model, ...none };
    used.requests += use.requests;
    used.estimated += use.estimated;
    used.by_engine += use.by_engine;
    used.input_tokens += use.input_tokens;
    used.output_tokens += use.output_tokens;
    const is_known = use.requests === use.by_engine || this.#isListPrice(vendor, use.price_version);
    if (used.cost_micro !== null) {
      used.cost_micro = is_known ? used.cost_micro + Number(use.priced_micro + use.engine_micro) : null;
    }
    this.#used.set(id, used);
  };

  /** Whether a price is one of the bundled catalogue's, which are the vendors' own. */
  #isListPrice(vendor: string, version: string): boolean {
    let versions = this.#list_versions.get(vendor);
    if (versions === undefined) {
      const models = [...bundledModels(vendor).values()];
      versions = new Set(models.flatMap(({ prices }) => (prices ?? []).map((price) => price.version)));
      this.#list_versions.set(vendor, versions);
    }
    return versions.has(version);
  }
}
