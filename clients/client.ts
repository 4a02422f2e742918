import type { Install } from "./install.ts";
import type { ModelKind } from "./models.ts";
import type { VendorProtocol } from "./protocols.ts";
import type { Session } from "./session.ts";

/** A program or library that people point at the gateway: how it is installed, what is set, what it must be able to do. */
export interface Client {
  /** Short and unique, for `--only` and for the names of folders: `claude-code`. */
  readonly id: string;
  /** As its makers write it: `Claude Code`. */
  readonly name: string;
  readonly install: Install;
  /** Markdown for docs/clients.md: what a user sets. The scenarios set the same. */
  readonly settings: string;
  /** Kinds of models that only this client needs, beside those of models.ts. */
  readonly models?: Readonly<Record<string, ModelKind>>;
  readonly scenarios: readonly Scenario[];
}

/** One thing that the client must be able to do. */
export interface Scenario {
  /** What it does, for the report: `edits a file`. */
  readonly name: string;
  /** How long it may take; then its programs are ended and it has failed. Default 120,000. */
  readonly timeout_ms?: number;
  /** Vendor protocols that have no such thing, each with the reason, which the report shows in place of a result. */
  readonly except?: Partial<Readonly<Record<VendorProtocol, string>>>;
  /** Throws an error whose message says what went wrong. A scenario of many checks tells each by `session.check`. */
  run(session: Session): Promise<void>;
}
