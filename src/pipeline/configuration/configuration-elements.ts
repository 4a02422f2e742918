import {
  configurationChanges,
  isUnchanged,
  type Reloadable,
  reloadable,
} from "../../catalog/configuration/configuration-changes.ts";
import { type GivenElement, nameKey } from "../../catalog/configuration/element-layer.ts";
import type { ConfigurationInput, LoadedConfiguration } from "../../catalog/configuration/load-configuration.ts";
import { type Layered, layOver } from "../../catalog/elements/lay-over.ts";
import { formatProblem, type Problem } from "../../catalog/reading/problem.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import type { ConfigurationStore, ElementVersion } from "../../core/catalog/configuration-elements.ts";
import { Semaphore } from "../../core/semaphore.ts";
import type { Log } from "../../observe/log.ts";
import type { VendorCredentials } from "../vendors/vendor-credentials.ts";

/** The parts from which the configuration was made, at one revision of the database. */
export interface ElementsState {
  /** The file and the environment alone. */
  readonly base: LoadedConfiguration;
  /** The newest version of each element by `nameKey`, those that were dropped included. */
  readonly versions: ReadonlyMap<string, ElementVersion>;
  readonly revision: number;
  /** The elements that are not in use, each with its problems, by `nameKey`. */
  readonly left_out: ReadonlyMap<string, readonly Problem[]>;
}

export interface ConfigurationElementsOptions {
  readonly store: ConfigurationStore;
  readonly vendors: VendorCredentials;
  /** The configuration from the file and the environment, until another file is read. */
  readonly base: LoadedConfiguration;
  /** The input with which the elements are read: the file's input, with the simulator where an element asks for it. */
  readonly inputFor: (base: LoadedConfiguration, elements: readonly GivenElement[]) => Promise<ConfigurationInput>;
  /** The simulator's configuration where nothing offers a model. */
  readonly orFirstRun: (loaded: LoadedConfiguration) => Promise<LoadedConfiguration>;
  readonly log: Pick<Log, "info" | "warn">;
}

/** The changes by a new file. */
export interface Replaced extends Pick<Reloadable, "after_restart"> {
  readonly before: Configuration;
  readonly after: Configuration;
  /** The elements that are not in use with it, by `nameKey`. */
  readonly left_out: readonly string[];
}

/**
 * The elements of the database, laid over the file and put in force (docs/adr/0042). Whatever the database has, the gateway serves: an
 * element that does not fit is left out and reported. A change makes a new configuration; a request keeps the one that it began with.
 */
export class ConfigurationElements {
  readonly #options: ConfigurationElementsOptions;
  #state: ElementsState;
  /** The vendors with a credential of the console, as the elements were last read with them. */
  #credentialed: ReadonlySet<string> = new Set();
  /** Reading and applying run one at a time, so that an older state never replaces a newer one. */
  readonly #turns = new Semaphore(1);

  constructor(options: ConfigurationElementsOptions) {
    this.#options = options;
    this.#state = { base: options.base, versions: new Map(), revision: 0, left_out: new Map() };
  }

  get state(): ElementsState {
    return this.#state;
  }

  get vendors(): VendorCredentials {
    return this.#options.vendors;
  }

  get store(): ConfigurationStore {
    return this.#options.store;
  }

  /** The input with which these elements would be read. */
  inputFor(elements: readonly GivenElement[]): Promise<ConfigurationInput> {
    return this.#options.inputFor(this.#state.base, elements);
  }

  orFirstRun(loaded: LoadedConfiguration): Promise<LoadedConfiguration> {
    return this.#options.orFirstRun(loaded);
  }

  /** Vendors that a credential of the console enables, to which elements may have routes. */
  credentialed(): ReadonlySet<string> {
    const { vendors } = this.#options;
    return new Set([...vendors.sources.stored].filter((id) => vendors.stored(id)?.problem === null));
  }

  /** Takes over the changes that other gateways made in the database, if any. */
  async refresh(): Promise<void> {
    if ((await this.#options.store.elementsRevision()) !== this.#state.revision) await this.load();
  }

  /** Reads the elements and puts them in force: they are when the promise resolves. */
  load(): Promise<void> {
    return this.#turns.run(async () => {
      const { store, log } = this.#options;
      // The revision is read first: a change in between is noticed at the next refresh.
      const revision = await store.elementsRevision();
      const listed = revision === 0 ? [] : await store.listElements();
      const versions = new Map(listed.map((version) => [nameKey(version), version]));
      const { before, after } = await this.#apply({ ...this.#state, revision, versions });
      const changes = configurationChanges(before, after);
      if (!isUnchanged(changes)) log.info({ ...changes }, "the configuration of the database takes effect");
    });
  }

  /** Puts another file in force, with the elements laid over it. */
  replaceFile(base: LoadedConfiguration): Promise<Replaced> {
    return this.#turns.run(() => this.#apply({ ...this.#state, base }));
  }

  /** Takes note that a credential of the console was set or removed: a route may lead to a vendor now, or no longer. */
  credentialChanged(): void {
    if (this.#state.versions.size === 0 || Bun.deepEquals(this.credentialed(), this.#credentialed)) return;
    this.#turns
      .run(() => this.#apply(this.#state))
      .catch((thrown: unknown) => {
        this.#options.log.warn({ err: thrown }, "the configuration of the database was not read again");
      });
  }

  async #apply(next: ElementsState): Promise<Replaced> {
    const { vendors, inputFor, orFirstRun } = this.#options;
    const credentialed = this.credentialed();
    const { loaded, left_out } = await this.#layered(next, credentialed, inputFor);
    const offered = next.versions.size === 0 ? loaded : await orFirstRun(loaded);
    let after_restart: readonly string[] = [];
    const replaced = await vendors.replace((running) => {
      const kept = reloadable(running.configuration, offered.configuration);
      after_restart = kept.after_restart;
      return { ...offered, configuration: kept.configuration };
    });
    this.#tell(left_out);
    this.#credentialed = credentialed;
    this.#state = { ...next, left_out };
    return { ...replaced, after_restart, left_out: [...left_out.keys()] };
  }

  async #layered(
    { base, versions }: ElementsState,
    credentialed: ReadonlySet<string>,
    inputFor: ConfigurationElementsOptions["inputFor"],
  ): Promise<Layered> {
    const elements = elementsIn(versions.values());
    if (elements.length === 0) return { loaded: base, left_out: new Map() };
    return layOver(await inputFor(base, elements), elements, credentialed);
  }

  #tell(left_out: ReadonlyMap<string, readonly Problem[]>): void {
    for (const [key, problems] of left_out) {
      if (Bun.deepEquals(this.#state.left_out.get(key), problems)) continue;
      const [kind, id] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];
      const left = { kind, id, problems: problems.map(formatProblem) };
      this.#options.log.warn(left, "an element of the database is left out of the configuration");
    }
  }
}

/** The elements that versions say, without those that were dropped. */
export function elementsIn(versions: Iterable<ElementVersion>): GivenElement[] {
  return [...versions].flatMap(({ kind, id, value }) => (value === null ? [] : [{ kind, id, value }]));
}
