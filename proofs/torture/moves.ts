import { join } from "node:path";
import type { Addresses } from "./databases.ts";

const CAMINO = join(import.meta.dir, "../..", "bin/camino");
/** At rest nothing is in the way of a move but calls that still end. */
const TRIES = 3;
const PATIENCE_MS = 20_000;

interface Move {
  readonly account: string;
  readonly to: string;
}

/** Accounts that are moved from cell to cell while they are called, by commands of which some are killed. */
export class Moves {
  readonly #addresses: Addresses;
  readonly #cells: readonly string[];
  #accounts: readonly string[] = [];
  #unfinished: Move[] = [];

  constructor(addresses: Addresses, cells: readonly string[]) {
    this.#addresses = addresses;
    this.#cells = cells;
  }

  /** The accounts of a round. */
  begins(accounts: readonly string[]): void {
    this.#accounts = accounts;
    this.#unfinished = [];
  }

  /** Starts a move of one of the round's accounts. What is resolved with ends it: half of them by SIGKILL. */
  begin(choice: number): () => Promise<void> {
    const places = this.#accounts.length * this.#cells.length;
    const place = Math.floor(choice * places);
    const account = this.#accounts[place % this.#accounts.length] ?? "";
    const to = this.#cells[Math.floor(place / this.#accounts.length)] ?? "";
    const child = this.#start({ account, to });
    return async () => {
      if ((choice * places) % 1 < 0.5) child.kill("SIGKILL");
      // One that waits for a server which another harm keeps away is run again at rest.
      const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await child.exited;
      clearTimeout(late);
      if (child.exitCode !== 0) this.#unfinished.push({ account, to });
    };
  }

  /** Runs every move again that did not come to its end. Resolves with what the commands say that cannot do so at rest either. */
  async finish(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const move of this.#unfinished) {
      const problem = await this.#finishOne(move);
      if (problem !== null) problems.push(problem);
    }
    return problems;
  }

  async #finishOne(move: Move): Promise<string | null> {
    for (let tried = 1; ; tried += 1) {
      const child = this.#start(move);
      const [told, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      if ((await child.exited) === 0) return null;
      if (tried === TRIES)
        return `camino cell move ${move.account} --to ${move.to}: ${told}${complaint}`.slice(0, 1000);
      await Bun.sleep(500);
    }
  }

  #start({ account, to }: Move) {
    const { database_url, cells_env } = this.#addresses;
    const { PATH = "" } = process.env;
    return Bun.spawn([CAMINO, "cell", "move", account, "--to", to, "--database", database_url], {
      env: { PATH, ...cells_env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }
}
