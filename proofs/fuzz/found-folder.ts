import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseKind } from "../torture/harms.ts";
import type { Finding } from "./finding.ts";
import type { CaseSeen } from "./gateway/run-case.ts";

/** So many findings of a kind are told on the terminal; all are kept. */
const SHOWN_OF_A_KIND = 4;

/** Where a run keeps what it has found, and what it tells of it. The folder is made with the first finding. */
export class FoundFolder {
  readonly path: string;
  readonly #seed: number;
  readonly #shown = new Map<string, number>();
  #kept = 0;

  constructor(path: string, seed: number) {
    this.path = path;
    this.#seed = seed;
  }

  /** An input that broke a target, as raw bytes: a fixture of `findings/`. */
  keepInput(target: string, problem: string, input: Buffer): void {
    const file = join(this.#folder(target), `${Bun.hash(input).toString(36)}`);
    writeFileSync(file, input);
    writeFileSync(`${file}.txt`, problem);
    console.log(
      `  FOUND in ${target}: ${problem}\n  input: ${JSON.stringify(input.toString("latin1").slice(0, 400))}\n  kept: ${file}`,
    );
    console.log(`  to repeat: npm run fuzz -- --database none --targets ${target} --seed ${this.#seed}`);
  }

  /** What the gateway did, with the requests of the case. */
  keepFinding(database: DatabaseKind, finding: Finding, seen: CaseSeen | null): void {
    const { kind, what, case_number } = finding;
    this.#kept += 1;
    const name = `${database}-${case_number ?? `batch-${this.#kept}`}`;
    const folder = this.#folder(name);
    writeFileSync(join(folder, `${kind.replace(" ", "-")}-${this.#kept}.txt`), what);
    for (const [at, { sent, answer }] of (seen?.steps ?? []).entries()) {
      writeFileSync(join(folder, `${at}-request`), sent);
      if (answer !== null) writeFileSync(join(folder, `${at}-answer`), `${answer.status}\n${answer.text}`);
    }
    const shown = (this.#shown.get(kind) ?? 0) + 1;
    this.#shown.set(kind, shown);
    if (shown > SHOWN_OF_A_KIND) return;
    console.log(`  FOUND ${kind}: ${what}`);
    for (const { sent } of seen?.steps ?? [])
      console.log(`  sent: ${JSON.stringify(sent.toString("latin1").slice(0, 600))}`);
    const repeats = case_number === null ? "" : ` --case ${case_number}`;
    console.log(`  to repeat: npm run fuzz -- --database ${database} --seed ${this.#seed}${repeats}; kept: ${folder}`);
  }

  #folder(name: string): string {
    const folder = join(this.path, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}
