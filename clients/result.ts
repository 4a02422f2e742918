import { join } from "node:path";
import type { VendorProtocol } from "./protocols.ts";

/** How one scenario went. */
export interface ScenarioResult {
  readonly scenario: string;
  /** `impossible`: the vendor's protocol has no such thing. */
  readonly outcome: "works" | "fails" | "impossible";
  /** Why it fails or is impossible; empty where it works. */
  readonly why: string;
  /** How many checks it told one by one. */
  readonly checks: number;
  /** Hosts outside that the client asked for. */
  readonly asked?: readonly string[];
}

/** How a client's scenarios went over one vendor's protocol. */
export interface ClientResult {
  readonly client: string;
  readonly version: string;
  readonly protocol: VendorProtocol;
  /** The day it was tried: `2026-11-22`. */
  readonly date: string;
  /** What was tried: a result holds as long as the sources are these. */
  readonly sources: string;
  readonly scenarios: readonly ScenarioResult[];
}

/** The newest results, one file a client and protocol, so that what has not changed need not be run again. */
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

const ROOT = join(import.meta.dir, "..");
const FOLDERS = "{src,simulator,clients}/**/*.{ts,mjs,py,go}";

/** A hash of everything that a result depends on beside the client. */
export async function hashSources(): Promise<string> {
  const paths = await Array.fromAsync(new Bun.Glob(FOLDERS).scan({ cwd: ROOT }));
  const hasher = new Bun.CryptoHasher("sha256");
  for (const path of [...paths.filter((each) => !each.includes(".test.")).sort(), "package-lock.json"])
    hasher.update(path).update(await Bun.file(join(ROOT, path)).text());
  return hasher.digest("hex").slice(0, 16);
}
