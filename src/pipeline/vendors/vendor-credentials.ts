import { decryptCredential, encryptCredential } from "../../access/encrypt-credential.ts";
import {
  type GivenCredential,
  vendorGiven,
  withGivenCredentials,
} from "../../catalog/configuration/given-credential.ts";
import { originsOf } from "../../catalog/configuration/lent-credentials.ts";
import type { LoadedConfiguration } from "../../catalog/configuration/load-configuration.ts";
import type { VendorSources } from "../../catalog/configuration/vendor-status.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import type { VendorCredentialRecord, VendorCredentialStore } from "../../core/catalog/vendor-credential-store.ts";
import { Semaphore } from "../../core/semaphore.ts";
import type { Log } from "../../observe/log.ts";

/** A stored credential without the secret. */
export interface StoredCredential {
  readonly set_ms: number;
  readonly set_by: string;
  /** Why the credential is not used, for people; null when it is used. */
  readonly problem: string | null;
}

/** The credentials in the database, at one revision of them. */
interface StoredCredentials {
  readonly revision: number;
  readonly records: readonly VendorCredentialRecord[];
}

export interface VendorCredentialsOptions {
  /** The configuration from the file and the environment, until another is read. */
  readonly loaded: LoadedConfiguration;
  readonly store: VendorCredentialStore;
  /** The key of `SubKeys.vendor_credential`, with which credentials are encrypted. */
  readonly key: Uint8Array;
  readonly log: Pick<Log, "info" | "warn">;
  /** Called for each vendor that has changed, after the change took effect. */
  readonly onChange: (vendor_id: string) => void;
}

/**
 * The current configuration: the file and the environment, with the credentials that were set in the console. A change
 * makes a new configuration; a request that began with the old one keeps it. The gateway starts with any content of the
 * database: a credential that cannot be used is a problem of its vendor alone (docs/rulings.md 111).
 */
export class VendorCredentials {
  readonly #options: VendorCredentialsOptions;
  #loaded: LoadedConfiguration;
  #given: ReadonlyMap<string, GivenCredential> = new Map();
  #stored: ReadonlyMap<string, StoredCredential> = new Map();
  #current: Configuration;
  /** The revision of the credentials that were read last. */
  #revision = 0;
  /** Reading and applying run one at a time, so that an older state never replaces a newer one. */
  readonly #turns = new Semaphore(1);

  constructor(options: VendorCredentialsOptions) {
    this.#options = options;
    this.#loaded = options.loaded;
    this.#current = options.loaded.configuration;
  }

  /** The current configuration; a request reads it once. */
  get current(): Configuration {
    return this.#current;
  }

  get sources(): VendorSources {
    const stored = new Set(this.#stored.keys());
    return { loaded: this.#loaded, given: this.#given, stored, current: this.#current };
  }

  /** The stored credential of a vendor, also where it cannot be used. */
  stored(vendor_id: string): StoredCredential | null {
    return this.#stored.get(vendor_id) ?? null;
  }

  /** The loaded configuration, with the elements of the database laid over the file. */
  get loaded(): LoadedConfiguration {
    return this.#loaded;
  }

  /** Why a vendor could not use a new credential, for people; null when it could. */
  problemOf(vendor_id: string, given: GivenCredential): string | null {
    return this.#problemOf(vendor_id, this.#bound(vendor_id, given));
  }

  #problemOf(vendor_id: string, given: GivenCredential): string | null {
    const vendor = vendorGiven(this.#loaded, vendor_id, given);
    return "problem" in vendor ? vendor.problem : null;
  }

  /** A new credential with the servers that it is given for: those that the vendor's requests go to now. */
  #bound(vendor_id: string, given: GivenCredential): GivenCredential {
    const vendor = this.#loaded.configuration.vendors.get(vendor_id) ?? vendorGiven(this.#loaded, vendor_id, given);
    return "problem" in vendor ? given : { ...given, origins: originsOf(vendor) };
  }

  /** The configuration with a credential that is not stored. */
  trial(vendor_id: string, given: GivenCredential): Configuration {
    return withGivenCredentials(this.#loaded, new Map([...this.#given, [vendor_id, this.#bound(vendor_id, given)]]));
  }

  /** Stores a credential; it is in use on this gateway when the promise resolves. */
  async set(vendor_id: string, given: GivenCredential, set_by: string): Promise<void> {
    const sealed = encryptCredential(this.#options.key, vendor_id, JSON.stringify(this.#bound(vendor_id, given)));
    await this.#options.store.put({ vendor_id, ...sealed, set_by });
    await this.load();
  }

  /** False when no credential was stored. */
  async remove(vendor_id: string): Promise<boolean> {
    const removed = await this.#options.store.remove(vendor_id);
    await this.load();
    return removed;
  }

  /** Takes over the changes that other gateways made in the database, if any. */
  async refresh(): Promise<void> {
    if ((await this.#options.store.revision()) !== this.#revision) await this.load();
  }

  /** Reads the stored credentials and applies them. */
  load(): Promise<void> {
    return this.#turns.run(async () => this.#apply(await this.#read()));
  }

  /**
   * Takes over another configuration from the file and the environment, with the credentials of the console applied. `next` makes it
   * of the one before. Returns the configurations that were in force before and after; where `next` throws, nothing changes.
   */
  replace(
    next: (before: LoadedConfiguration) => LoadedConfiguration,
  ): Promise<{ before: Configuration; after: Configuration }> {
    return this.#turns.run(async () => {
      const stored = await this.#read();
      const before = this.#current;
      this.#loaded = next(this.#loaded);
      // Under the new configuration a stored credential may have become usable or unusable.
      this.#apply(stored);
      const after = this.#current;
      for (const [id, vendor] of before.vendors) {
        if (!Bun.deepEquals(vendor, after.vendors.get(id))) this.#options.onChange(id);
      }
      return { before, after };
    });
  }

  async #read(): Promise<StoredCredentials> {
    const { store } = this.#options;
    // The revision is read first: a change in between is noticed at the next refresh.
    const revision = await store.revision();
    return { revision, records: await store.list() };
  }

  #apply({ revision, records }: StoredCredentials): void {
    const { onChange, log } = this.#options;
    const before = this.#given;
    const opened = records.map((record) => this.#open(record));
    this.#stored = new Map(opened.map(({ vendor_id, stored }) => [vendor_id, stored]));
    this.#given = new Map(opened.flatMap(({ vendor_id, given }) => (given === null ? [] : [[vendor_id, given]])));
    this.#current = withGivenCredentials(this.#loaded, this.#given);
    this.#revision = revision;
    for (const id of changedIds(before, this.#given)) {
      log.info({ vendor: id }, "a vendor's credential from the console has changed");
      onChange(id);
    }
  }

  #open(record: VendorCredentialRecord) {
    const { vendor_id, set_ms, set_by } = record;
    const text = decryptCredential(this.#options.key, vendor_id, record);
    const given = text === null ? null : (JSON.parse(text) as GivenCredential);
    const problem = given === null ? UNREADABLE : this.#problemOf(vendor_id, given);
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
