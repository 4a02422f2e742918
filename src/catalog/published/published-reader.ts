import { isModelId } from "../names/model-id.ts";
import type { PublishedCatalog, PublishedModel, PublishedVendor } from "./published-catalog.ts";

/** Collects the vendors and models of a published list, and the names of everything that is left out. */
export class PublishedReader {
  readonly #vendors = new Map<string, PublishedVendor>();
  readonly #models = new Map<string, PublishedModel>();
  readonly #left_out: string[] = [];

  addVendor(vendor: PublishedVendor): void {
    this.#vendors.set(vendor.id, vendor);
  }

  addModel(model: PublishedModel): void {
    if (!isModelId(model.id)) this.leaveOut(model.id, "cannot be a model id");
    else if (this.#models.has(model.id)) this.leaveOut(model.id, "is listed a second time");
    else this.#models.set(model.id, model);
  }

  /** Records an entry that is left out. `why` continues the sentence after the name: `has no price`. */
  leaveOut(name: string, why: string): void {
    this.#left_out.push(`${name}: ${why}`);
  }

  leavePricesOut(name: string, prices: readonly string[]): void {
    if (prices.length > 0) this.leaveOut(name, `these prices are not carried over: ${prices.join(", ")}`);
  }

  /** The collected catalogue, without vendors that have no model. */
  get catalog(): PublishedCatalog {
    const models = [...this.#models.values()];
    const used = new Set(models.map(({ id }) => id.slice(0, id.indexOf("/"))));
    return { vendors: [...this.#vendors.values()].filter(({ id }) => used.has(id)), models, left_out: this.#left_out };
  }
}
