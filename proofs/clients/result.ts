import { join } from "node:path";
import type { VendorProtocol } from "./protocols.ts";

/** The result of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  /** `impossible`: the vendor's protocol cannot support the task. */
  readonly outcome: "works" | "fails" | "impossible";
  /** Why the scenario fails or is impossible; empty where it works. */
  readonly why: string;
  /** How many checks the scenario reported. */
  readonly checks: number;
  /** Hosts outside that the client asked for. */
  readonly asked?: readonly string[];
}

/** The results of a client's scenarios over one vendor protocol. */
export interface ClientResult {
  readonly client: string;
  readonly version: string;
  readonly protocol: VendorProtocol;
  /** The day of the run: `2026-11-22`. */
  readonly date: string;
  /** A hash of the sources that were tried: the result is valid while the sources are unchanged. */
  readonly sources: string;
  readonly scenarios: readonly ScenarioResult[];
}

/** The newest results, in one file for each client and protocol, so that unchanged clients need not run again. */
export class Results {
  readonly #folder: string;

  constructor(cache: string) {
    this.#folder = join(cache, "results");
  }

  async find(client: string, version: string, protocol: VendorProtocol): Promise<ClientResult | null> {
    const file = this.#file(client, version, protocol);
    return (await file.exists()) ? ((await file.json()) as ClientResult) : null;
  }

  async keep(result: ClientResult): Promise<void> {
    await Bun.write(this.#file(result.client, result.version, result.protocol), JSON.stringify(result, null, 2));
  }

  #file(client: string, version: string, protocol: VendorProtocol): Bun.BunFile {
    return Bun.file(join(this.#folder, `${client}-${version}`, `${protocol}.json`));
  }
}

const ROOT = join(import.meta.dir, "../..");
/** One pattern for each: the runtime finds nothing by alternatives of which one has a slash. */
const FOLDERS = ["src", "simulator", "proofs/clients"].map((folder) => `${folder}/**/*.{ts,mjs,py,go,java}`);

/** A hash of all sources that a result depends on, except the client. */
export async function hashSources(root = ROOT): Promise<string> {
  const found = await Promise.all(FOLDERS.map((each) => Array.fromAsync(new Bun.Glob(each).scan({ cwd: root }))));
  const hasher = new Bun.CryptoHasher("sha256");
  const paths = found.flat().filter((each) => !each.includes(".test."));
  for (const path of [...paths.sort(), "package-lock.json"])
    hasher.update(path).update(await Bun.file(join(root, path)).text());
  return hasher.digest("hex").slice(0, 16);
}
