import type { CellAddress, CellSettings } from "../../core/catalog/cell-settings.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import type { Store } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { openPostgres, type PostgresStoreOptions } from "../postgres/open-postgres.ts";
import { messageOf } from "../postgres/store-trouble.ts";
import { type Cell, Cells } from "./cells.ts";
import { storeInCells } from "./store-in-cells.ts";

/** How long after a failed opening of a cell the next one is tried. */
const AGAIN_AFTER_MS = 5000;

type OpenOptions = Omit<PostgresStoreOptions, "as_cell">;

/**
 * Opens the directory and all cells side by side. Without the directory there is no gateway; a cell that cannot be opened is tried again and again, and
 * until then its accounts are refused with a StoreUnavailable (docs/rulings.md 241).
 */
export async function openCells(
  options: OpenOptions,
  { directory_weight, cells: given }: CellSettings,
): Promise<Store> {
  const others = given.map((address) => new OpeningCell(address, options));
  const opening = Promise.all(others.map((cell) => cell.open()));
  const directory = await openPostgres({ ...options, as_cell: DIRECTORY }).catch(async (thrown: unknown) => {
    await opening;
    await Promise.all(others.map((cell) => cell.close()));
    throw thrown;
  });
  await opening;
  const cells = new Cells(directory, others, directory_weight);
  const store = storeInCells(cells);
  return {
    ...store,
    async close() {
      await Promise.all([directory.close(), ...others.map((cell) => cell.close())]);
    },
  };
}

/** A cell that is opened as soon as it can be. */
class OpeningCell implements Cell {
  readonly name: string;
  readonly weight: number;
  readonly #options: PostgresStoreOptions;
  #store: Store | null = null;
  #problem = "it is being opened";
  #again: Timer | null = null;
  #is_closed = false;

  constructor({ name, url, weight }: CellAddress, options: OpenOptions) {
    this.name = name;
    this.weight = weight;
    this.#options = { ...options, url, as_cell: name };
  }

  get store(): Store {
    if (this.#store !== null) return this.#store;
    const message = `The cell ${this.name} cannot be used: ${this.#problem}`;
    throw new StoreUnavailable("unreachable", message, { nothing_happened: true });
  }

  async open(): Promise<void> {
    try {
      const store = await openPostgres(this.#options);
      if (this.#is_closed) await store.close();
      else this.#store = store;
    } catch (thrown) {
      this.#problem = messageOf(thrown);
      if (!this.#is_closed) this.#again = setTimeout(() => void this.open(), AGAIN_AFTER_MS);
    }
  }

  async close(): Promise<void> {
    this.#is_closed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    await this.#store?.close();
  }
}
