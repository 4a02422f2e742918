import type { CellAddress, CellSettings } from "../../core/catalog/cell-settings.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import type { Store } from "../../core/store/ports.ts";
import type { StoreEvent } from "../../core/store/store-events.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { openPostgres, type PostgresStoreOptions } from "../postgres/open-postgres.ts";
import { messageOf } from "../postgres/store-trouble.ts";
import { type Cell, Cells } from "./cells.ts";
import { storeInCells } from "./store-in-cells.ts";

/** How long after a failed opening of a cell, or a failed look at one that is away, the next one comes. */
const OPEN_AGAIN_MS = 5000;
const LOOK_AGAIN_MS = 1000;
/** How long a cell may take to answer before it counts as away. */
const CELL_PATIENCE_MS = 1000;

type OpenOptions = Omit<PostgresStoreOptions, "as_cell">;

/**
 * Opens the directory and all cells side by side. Without the directory there is no gateway; a cell that cannot be opened is tried again and again, and
 * until then its accounts are refused with a StoreUnavailable (docs/rulings.md 241).
 */
export async function openCells(
  options: OpenOptions,
  { directory_weight, cells: given }: CellSettings,
): Promise<Store> {
  let cells: Cells | null = null;
  const isSound = async (store: Store): Promise<string | null> => {
    const fingerprint = cells?.fingerprint ?? null;
    const is_own = fingerprint === null || (await store.secretFingerprint(fingerprint)) === fingerprint;
    return is_own ? null : "its keys were made with another secret than the gateway's";
  };
  const others = given.map((address) => new OpeningCell(address, options, isSound));
  const opening = Promise.all(others.map((cell) => cell.open()));
  const directory = await openPostgres({ ...options, as_cell: DIRECTORY }).catch(async (thrown: unknown) => {
    await opening;
    await Promise.all(others.map((cell) => cell.close()));
    throw thrown;
  });
  await opening;
  cells = new Cells(directory, others, directory_weight);
  const store = storeInCells(cells);
  return {
    ...store,
    async close() {
      await Promise.all([directory.close(), ...others.map((cell) => cell.close())]);
    },
  };
}

/** Asks a cell whether it takes changes. Rejects where it does not, or not soon. */
async function askWhetherThere(store: Pick<Store, "ping">): Promise<void> {
  const late = new AbortController();
  const patience = setTimeout(() => late.abort(), CELL_PATIENCE_MS);
  try {
    await Promise.race([
      store.ping(),
      new Promise((_, reject) => late.signal.addEventListener("abort", () => reject(new Error("it does not answer")))),
    ]);
  } finally {
    clearTimeout(patience);
  }
}

/**
 * A cell that is opened as soon as it can be (docs/rulings.md 241). While it does not answer, it is looked at again and again, and every call of it is
 * refused at once instead of after the driver's own timeouts.
 */
class OpeningCell implements Cell {
  readonly name: string;
  readonly weight: number;
  readonly #options: PostgresStoreOptions;
  readonly #isSound: (store: Store) => Promise<string | null>;
  readonly #tell: (event: StoreEvent) => void;
  #store: Store | null = null;
  #problem: string | null = "it is being opened";
  #is_told_away = false;
  #again: Timer | null = null;
  #is_looking = false;
  #is_closed = false;

  /** `isSound` says what is wrong with the books of a cell that was just opened; null: nothing. */
  constructor(
    { name, url, weight }: CellAddress,
    options: OpenOptions,
    isSound: (store: Store) => Promise<string | null>,
  ) {
    this.name = name;
    this.weight = weight;
    this.#isSound = isSound;
    this.#tell = options.onEvent ?? (() => {});
    this.#options = { ...options, url, as_cell: name, onEvent: (event) => this.#hear(event) };
  }

  get problem(): string | null {
    return this.#problem;
  }

  get store(): Store {
    if (this.#store !== null && this.#problem === null) return this.#store;
    const message = `The cell ${this.name} is away: ${this.#problem}`;
    throw new StoreUnavailable("unreachable", message, { nothing_happened: true });
  }

  async open(): Promise<void> {
    try {
      const store = await openPostgres(this.#options);
      const problem = await this.#isSound(store);
      if (this.#is_closed || problem !== null) await store.close();
      if (problem !== null) throw new Error(problem);
      if (this.#is_closed) return;
      this.#store = store;
      this.#note(null);
    } catch (thrown) {
      this.#note(messageOf(thrown));
      if (!this.#is_closed) this.#again = setTimeout(() => void this.open(), OPEN_AGAIN_MS);
    }
  }

  async close(): Promise<void> {
    this.#is_closed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    await this.#store?.close();
  }

  #hear(event: StoreEvent): void {
    this.#tell(event);
    if (event.kind === "trouble" && event.trouble !== "busy") void this.look();
  }

  async look(): Promise<void> {
    if (this.#store === null || this.#is_looking || this.#is_closed) return;
    this.#is_looking = true;
    try {
      await askWhetherThere(this.#store);
      this.#note(null);
      this.#is_looking = false;
    } catch (thrown) {
      this.#note(messageOf(thrown));
      if (this.#is_closed) return;
      this.#again = setTimeout(() => {
        this.#is_looking = false;
        void this.look();
      }, LOOK_AGAIN_MS);
    }
  }

  /** Notes whether the cell is away, and tells it when that changes. */
  #note(problem: string | null): void {
    this.#problem = problem;
    const is_away = problem !== null;
    if (is_away === this.#is_told_away || this.#is_closed) return;
    this.#is_told_away = is_away;
    this.#tell({ kind: "cell", cell: this.name, problem });
  }
}
