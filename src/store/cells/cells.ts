import { systemClock } from "../../core/clock.ts";
import { RecentMap } from "../../core/recent-map.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import type { AccountRecord, Store } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";

/** A cell as a gateway uses it. */
export interface Cell {
  readonly name: string;
  /** How many of the new accounts it gets, in proportion to the others; 0: none. */
  readonly weight: number;
  /** Its books. Throws a StoreUnavailable while it is away. */
  readonly store: Store;
  /** Why it is away; null or absent: it is not. */
  readonly problem?: string | null;
  /** Looks whether it is there, until it is. Resolves once that is known. */
  look?(): Promise<void>;
}

/** How many accounts and keys are remembered with their cells. */
const REMEMBERED = 500_000;
/** How long an account is taken to be where it was: one that has moved is asked for in its new cell from then on. */
const NOTED_FOR_MS = 2000;

/**
 * The cells of a gateway, the directory first, and where accounts and keys live. What is remembered may be out of date after a move: the cell
 * that an account has left refuses what is asked for it, and its key is looked for anew (docs/adr/0085).
 */
export class Cells {
  readonly all: readonly Cell[];
  readonly directory: Cell;
  /** The secret's fingerprint of the gateway, once it is known: a cell that is opened later is judged by it (docs/rulings.md 203). */
  fingerprint: number | null = null;
  readonly #homes = new RecentMap<{ readonly cell: Cell; readonly noted_ms: number }>(REMEMBERED);
  readonly #keys = new RecentMap<Cell>(REMEMBERED);
  #turn = 0;

  constructor(directory: Store, others: readonly Cell[], own_weight: number) {
    this.directory = { name: DIRECTORY, weight: own_weight, store: directory };
    this.all = [this.directory, ...others];
  }

  named(name: string): Cell {
    const cell = this.all.find((each) => each.name === name);
    if (cell !== undefined) return cell;
    throw new StoreUnavailable("unreachable", `The cell ${name} is not configured.`, { nothing_happened: true });
  }

  /** The cell of an account as far as it is remembered; else the directory, which takes nothing for an account that lives elsewhere. */
  remembered(account_id: string): Cell {
    return this.#homes.get(account_id)?.cell ?? this.directory;
  }

  /** The cell of an account by its id; for an unknown account the directory, which says that there is none. */
  async homeOf(account_id: string): Promise<Cell> {
    const known = this.#homes.get(account_id);
    if (known !== undefined && systemClock.monotonic_ms() - known.noted_ms < NOTED_FOR_MS) return known.cell;
    try {
      return this.noteAccount(account_id, await this.directory.store.accounts.findAccount(account_id));
    } catch (thrown) {
      // While the directory is away the accounts of the others go on where they were.
      if (known !== undefined && thrown instanceof StoreUnavailable) return known.cell;
      throw thrown;
    }
  }

  /** Takes note of where the directory's row says that an account lives. */
  noteAccount(account_id: string, found: AccountRecord | null): Cell {
    if (found === null) return this.directory;
    const home = found.cell === undefined ? this.directory : this.named(found.cell);
    this.noteHome(account_id, home);
    return home;
  }

  /** Takes note of a cell that was found to have an account. */
  noteHome(account_id: string, cell: Cell): void {
    this.#homes.set(account_id, { cell, noted_ms: systemClock.monotonic_ms() });
  }

  /** All cells, each time beginning with another one. */
  inTurn(): Cell[] {
    this.#turn = (this.#turn + 1) % this.all.length;
    return [...this.all.slice(this.#turn), ...this.all.slice(0, this.#turn)];
  }

  noteKey({ id, account_id }: { readonly id: string; readonly account_id: string }, cell: Cell): void {
    this.#keys.set(id, cell);
    this.noteHome(account_id, cell);
  }

  cellOfKey(key_id: string): Cell | undefined {
    return this.#keys.get(key_id);
  }

  /** Asks every cell side by side. Rejects where one of them cannot answer: a list or a sum without a part would be wrong without a word (docs/rulings.md 242). */
  each<Result>(ask: (cell: Cell) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.all.map(async (cell) => await ask(cell)));
  }

  /**
   * Asks every cell side by side, and leaves out those that are away: for work that goes on in the others. The directory counts like the
   * others.
   */
  async present<Result>(ask: (cell: Cell) => Promise<Result>): Promise<{ cell: Cell; result: Result }[]> {
    const asked = await Promise.allSettled(this.all.map(async (cell) => ({ cell, result: await ask(cell) })));
    const found: { cell: Cell; result: Result }[] = [];
    for (const each of asked) {
      if (each.status === "fulfilled") found.push(each.value);
      else if (!(each.reason instanceof StoreUnavailable)) throw each.reason;
    }
    return found;
  }

  /**
   * The first cell that knows something, and what it knows. Null where none does. Rejects where a cell cannot answer and no other one
   * knows it.
   */
  async first<Result>(ask: (cell: Cell) => Promise<Result | null>): Promise<{ cell: Cell; found: Result } | null> {
    // An account that moves meanwhile may have left one cell before its answer, and have come to the other after its own: all are asked once more.
    return (await this.#first(ask)) ?? (await this.#first(ask));
  }

  async #first<Result>(ask: (cell: Cell) => Promise<Result | null>): Promise<{ cell: Cell; found: Result } | null> {
    const asked = await Promise.allSettled(this.all.map(async (cell) => ({ cell, found: await ask(cell) })));
    for (const each of asked) {
      if (each.status === "fulfilled" && each.value.found !== null)
        return { cell: each.value.cell, found: each.value.found };
    }
    for (const each of asked) if (each.status === "rejected") throw each.reason;
    return null;
  }

  /** The cell of a new account. One that is drained gets none (docs/rulings.md 246). */
  async cellForNew(account_id: string): Promise<Cell> {
    const drained = new Set(await this.directory.store.accounts.drainedCells());
    const open = this.all.filter(({ name }) => !drained.has(name));
    return drawCell(open, account_id) ?? this.directory;
  }
}

/**
 * Draws a cell by an account's id, in proportion to the weights (rendezvous hashing), so that the same id comes to the same cell while the cells and weights are the
 * same. Null where none has a weight.
 */
export function drawCell<Drawn extends Pick<Cell, "name" | "weight">>(
  cells: readonly Drawn[],
  account_id: string,
): Drawn | null {
  const scored = cells
    .filter(({ weight }) => weight > 0)
    .map((cell) => ({ cell, score: scoreOf(`${cell.name} ${account_id}`, cell.weight) }));
  return scored.toSorted((a, b) => b.score - a.score)[0]?.cell ?? null;
}

function scoreOf(text: string, weight: number): number {
  const drawn = (Number(Bun.hash.wyhash(text) & 0xffff_ffffn) + 1) / 2 ** 32;
  return weight / -Math.log(drawn - 2 ** -33);
}
