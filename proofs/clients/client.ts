import type { Install } from "./install.ts";
import type { ModelKind } from "./models.ts";
import type { VendorProtocol } from "./protocols.ts";
import type { Session } from "./session.ts";

/**
 * A program or library that people point at the gateway: how it is installed, which settings it needs, and what it must
 * be able to do.
 */
export interface Client {
  /** Short and unique, for `--only` and for names of folders: `claude-code`. */
  readonly id: string;
  /** The name as its makers write it: `Claude Code`. */
  readonly name: string;
  readonly install: Install;
  /** Markdown for docs/clients.md: the settings that a user makes. The scenarios make the same settings. */
  readonly settings: string;
  /** Kinds of models that only this client needs, beside those of models.ts. */
  readonly models?: Readonly<Record<string, ModelKind>>;
  readonly scenarios: readonly Scenario[];
}

/** One task that the client must be able to do. */
export interface Scenario {
  /** The task's name in the report: `edits a file`. */
  readonly name: string;
  /** The time after which its programs are ended and the scenario has failed. Default 120,000. */
  readonly timeout_ms?: number;
  /**
   * Vendor protocols that cannot support the task, each with the reason, which the report shows in place of a result.
   */
  readonly except?: Partial<Readonly<Record<VendorProtocol, string>>>;
  /** Throws an error whose message says what went wrong. A scenario of many checks reports each by `session.check`. */
  run(session: Session): Promise<void>;
}
