import type { Configuration, Vendor } from "../core/catalog/catalog.ts";
import type { UpkeepStore } from "../core/operations/upkeep.ts";
import type { Log } from "../observe/log.ts";
import type { VendorLimitBook } from "../routing/vendor-limits.ts";
import { BackgroundChore } from "./background-chore.ts";

/** Nodes know of each other's spending within five seconds, including the time to write and to read it. */
const SHARE_EVERY_MS = 2000;

interface SharingParts {
  readonly book: VendorLimitBook;
  readonly vendors: { readonly current: Configuration };
  readonly store: Pick<UpkeepStore, "shareVendorSpending">;
  readonly log: Log;
  /** How many processes of this gateway use the database. */
  readonly processes: number;
}

/** Shares what is spent at vendors with the other nodes and with the next start, while a vendor has limits (docs/rulings.md 178). */
export class ShareSpending {
  readonly #parts: SharingParts;
  readonly #chore: BackgroundChore;

  constructor(parts: SharingParts) {
    this.#parts = parts;
    this.#chore = new BackgroundChore({
      every_ms: SHARE_EVERY_MS,
      work: () => this.#share(),
      onFailure: (thrown) => parts.log.warn({ err: thrown }, "what was spent at vendors could not be shared"),
    });
  }

  /** Resolves once what was spent today is known. */
  async start(): Promise<void> {
    await this.#chore.run();
    this.#chore.start();
  }

  /** Shares what is not yet shared, for the last time. */
  async stop(): Promise<void> {
    await this.#chore.stop();
    const { log } = this.#parts;
    await this.#share().catch((thrown) => log.warn({ err: thrown }, "what was spent at vendors could not be shared"));
  }

  async #share(): Promise<void> {
    const { book, vendors, store, processes } = this.#parts;
    if (!vendors.current.vendors.values().some(isLimited)) return;
    const taken = book.takeUnshared();
    try {
      const { spending, nodes } = await store.shareVendorSpending(taken);
      book.share(spending, Math.max(nodes, processes));
    } catch (thrown) {
      book.putBack(taken);
      throw thrown;
    }
  }
}

function isLimited({ limits, api_keys }: Vendor): boolean {
  return limits !== undefined || api_keys?.some((key) => key.limits !== undefined) === true;
}
