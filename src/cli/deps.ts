import type { Configuration } from "../core/catalog.ts";
import type { Clock } from "../core/clock.ts";
import type { Store } from "../core/ports.ts";

/** Options of `camino serve`, as given on the command line; what is absent comes from the environment. */
export interface ServeOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly database?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** Options of `camino simulate`. */
export interface SimulateOptions {
  readonly host?: string;
  readonly port?: string;
  readonly json?: boolean;
}

/** Options of `camino doctor`. */
export interface DoctorOptions {
  readonly config?: string;
  readonly database?: string;
  readonly data?: string;
  readonly url?: string;
  readonly json?: boolean;
}

/** A configuration as `serve` would have it. */
export interface FoundConfiguration {
  readonly configuration: Configuration;
  /** The file that it was read from; null when there is none. */
  readonly file: string | null;
  /** Whether nothing is configured, so that the built-in simulator is all there is. */
  readonly first_run: boolean;
  /** Ends what was started to complete it, such as the built-in simulator. */
  readonly close: () => Promise<void>;
}

/** As much of `fetch` as the commands use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What the command line stands on, brought by the composition root. */
export interface CliDeps {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Write text to the streams as it is. */
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Runs the gateway; resolves when it has drained. */
  readonly serve: (options: ServeOptions) => Promise<void>;
  /** Runs the stand-in vendor; resolves when it was stopped. */
  readonly simulate: (options: SimulateOptions) => Promise<void>;
  /** Reads the configuration. Throws an error whose message lists every problem. */
  readonly readConfiguration: (options: Pick<DoctorOptions, "config">) => Promise<FoundConfiguration>;
  /** Opens the database that `serve` would open with these options. */
  readonly openStore: (options: Pick<DoctorOptions, "database" | "data">) => Promise<Store>;
}
