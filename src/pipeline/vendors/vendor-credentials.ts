import { openCredential, sealCredential } from "../../access/seal-credential.ts";
import {
  type GivenCredential,
  vendorGiven,
  withGivenCredentials,
} from "../../catalog/configuration/given-credential.ts";
import type { LoadedConfiguration } from "../../catalog/configuration/load-configuration.ts";
import type { VendorSources } from "../../catalog/vendors/vendor-standing.ts";
import type { Configuration } from "../../core/catalog.ts";
import type { VendorCredentialRecord, VendorCredentialStore } from "../../core/ports.ts";
import type { Log } from "../../observe/log.ts";

/** A credential that is stored, without what it is. */
export interface StoredCredential {
  readonly set_ms: number;
  readonly set_by: string;
  /** Why it is not in use, for people; null when it is. */
  readonly problem: string | null;
}

export interface VendorCredentialsOptions {
  /** What the file and the environment say. */
  readonly loaded: LoadedConfiguration;
  readonly store: VendorCredentialStore;
  /** SubKeys.vendor_credential. */
  readonly key: Uint8Array;
  readonly log: Pick<Log, "info" | "warn">;
  /** Told of each vendor whose credential has become another one, after it took effect. */
  readonly onChange: (vendor_id: string) => void;
}

/**
 * The configuration in force: what the file and the environment say, with the credentials that were set in the console.
 * A change makes a new configuration, and whoever began with the old one ends with it. Whatever the database holds, the
 * gateway starts: a credential that cannot be used is a problem of its vendor alone.
 */
export class VendorCredentials {
  readonly #options: VendorCredentialsOptions;
  #given: ReadonlyMap<string, GivenCredential> = new Map();
  #stored: ReadonlyMap<string, StoredCredential> = new Map();
  #current: Configuration;
  /** Of what was read last. */
  #revision = 0;
  /** Reading and applying take turns, so that an older state never replaces a newer one. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: VendorCredentialsOptions) {
    this.#options = options;
    this.#current = options.loaded.configuration;
  }

  /** Read it once for each request. */
  get current(): Configuration {
    return this.#current;
  }

  get sources(): VendorSources {
    const stored = new Set(this.#stored.keys());
    return { loaded: this.#options.loaded, given: this.#given, stored, current: this.#current };
  }

  /** What is stored for a vendor, also when it cannot be used. */
  stored(vendor_id: string): StoredCredential | null {
    return this.#stored.get(vendor_id) ?? null;
  }

  /** Why a credential would not do for a vendor, for people; null when it would. */
  problemOf(vendor_id: string, given: GivenCredential): string | null {
    const vendor = vendorGiven(this.#options.loaded, vendor_id, given);
    return "problem" in vendor ? vendor.problem : null;
  }

  /** The configuration as it would be with a credential that is not stored. */
  trial(vendor_id: string, given: GivenCredential): Configuration {
    return withGivenCredentials(this.#options.loaded, new Map([...this.#given, [vendor_id, given]]));
  }

  /** Stores a credential; it is in force here when this resolves. */
  async set(vendor_id: string, given: GivenCredential, set_by: string): Promise<void> {
    const sealed = sealCredential(this.#options.key, vendor_id, JSON.stringify(given));
    await this.#options.store.put({ vendor_id, ...sealed, set_by });
    await this.load();
  }

  /** False when none was stored. */
  async remove(vendor_id: string): Promise<boolean> {
    const removed = await this.#options.store.remove(vendor_id);
    await this.load();
    return removed;
  }

  /** Takes over what other gateways on the same database have changed, if they have. */
  async refresh(): Promise<void> {
    if ((await this.#options.store.revision()) !== this.#revision) await this.load();
  }

  /** Reads what is stored and puts it in force. */
  load(): Promise<void> {
    const turn = this.#turn.then(() => this.#load());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #load(): Promise<void> {
    const { store, loaded, onChange, log } = this.#options;
    // Read first: what changes in between is noticed at the next look.
    const revision = await store.revision();
    const records = await store.list();
    const before = this.#given;
    const opened = records.map((record) => this.#open(record));
    this.#stored = new Map(opened.map(({ vendor_id, stored }) => [vendor_id, stored]));
    this.#given = new Map(opened.flatMap(({ vendor_id, given }) => (given === null ? [] : [[vendor_id, given]])));
    this.#current = withGivenCredentials(loaded, this.#given);
    this.#revision = revision;
    for (const id of changedIds(before, this.#given)) {
      log.info({ vendor: id }, "a vendor's credential from the console has changed");
      onChange(id);
    }
  }

  #open(record: VendorCredentialRecord) {
    const { vendor_id, set_ms, set_by } = record;
    const text = openCredential(this.#options.key, vendor_id, record);
    const given = text === null ? null : (JSON.parse(text) as GivenCredential);
    const problem = given === null ? UNREADABLE : this.problemOf(vendor_id, given);
    if (problem !== null) this.#options.log.warn({ vendor: vendor_id, problem }, "a stored credential is not in use");
    return { vendor_id, given, stored: { set_ms, set_by, problem } };
  }
}

const UNREADABLE =
  "It was encrypted under another secret (CAMINO_SECRET) and cannot be read. Set it again, or delete it, or start the gateway with the secret under which it was set.";

function changedIds(
  before: ReadonlyMap<string, GivenCredential>,
  after: ReadonlyMap<string, GivenCredential>,
): string[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].filter((id) => !Bun.deepEquals(before.get(id), after.get(id)));
}
