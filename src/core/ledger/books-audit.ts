/** The types of the audit of the books (docs/design/audit.md): its comparisons and its findings. */

/** The comparisons of an audit. Each name is one promise of docs/billing.md. */
export type AuditCheck =
  | "balance"
  | "hold"
  | "key"
  | "chain"
  | "charge"
  | "price"
  | "request"
  | "top-up"
  | "usage"
  | "incident"
  | "anchor"
  | "place";

/** The place of a difference. Only the members that apply are there. */
export interface AuditPlace {
  readonly account_id?: string;
  readonly key_id?: string;
  readonly request_id?: string;
  /** The id of an entry, as the ledger's list shows it. */
  readonly entry_id?: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day?: string;
  readonly model?: string;
  /** An open incident (docs/rulings.md 148). */
  readonly incident?: number;
}

/** One difference: the broken promise, its place, the written value, the recomputed value, and the remedy. */
export interface AuditFinding {
  readonly check: AuditCheck;
  readonly place: AuditPlace;
  readonly problem: string;
  readonly found: string;
  readonly expected: string;
  readonly remedy: string;
}

export interface AuditCounts {
  readonly accounts: number;
  readonly entries: number;
  readonly requests: number;
  /** Days of accounts whose usage was compared. */
  readonly days: number;
}

/** The result of an audit. In sound books `findings` and `problems` are empty. */
export interface AuditReport extends AuditCounts {
  readonly started_ms: number;
  readonly ended_ms: number;
  /** The first findings; `more` says how many others there are. */
  readonly findings: readonly AuditFinding[];
  readonly more: number;
  /** The findings as sentences. */
  readonly problems: readonly string[];
  /** Requests that ended before this moment may be deleted, so they are not recomputed; 0 where all are kept. */
  readonly kept_since_ms: number;
}

export interface AuditProgress extends AuditCounts {
  /** The account that is being looked at; null before the first. */
  readonly account_id: string | null;
  readonly findings: number;
}

/** The usage of one of a vendor's models on a UTC day, for the comparison with the vendor's bill. */
export interface VendorUse {
  readonly day: number;
  readonly vendor: string;
  readonly upstream_model: string;
  /** The version of the price that applied. */
  readonly price_version: string;
  readonly requests: number;
  readonly estimated: number;
  /** Decisions by our engine, which makes calls of its own: their tokens are not recorded, their cost is. */
  readonly by_engine: number;
  /** All input tokens, cached ones included; without those of the engine's calls. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The cost of the usage at the frozen prices: charges and losses, in whole micro units. */
  readonly priced_micro: bigint;
  /** The cost of the engine's calls at the chat model's price. */
  readonly engine_micro: bigint;
}

export interface AuditOptions {
  /** Only this account; absent: all. */
  readonly account_id?: string;
  /** Only entries, requests and days from this moment on. Balances and holds are always compared. */
  readonly since_ms?: number;
  /** Called after every slice. */
  readonly onProgress?: (progress: AuditProgress) => void;
  /** Called after every slice with the time that the slice took: resolves when the next one may begin. */
  readonly pause?: (slice_ms: number) => Promise<void>;
  /** Called with what requests of these UTC days, both inclusive, used at vendors. May name the same use several times. */
  readonly vendor_use?: {
    readonly first_day: number;
    readonly last_day: number;
    readonly add: (use: VendorUse) => void;
  };
}

const PLACES: readonly (readonly [keyof AuditPlace, string])[] = [
  ["request_id", ""],
  ["entry_id", ""],
  ["incident", "incident "],
  ["key_id", ""],
  ["account_id", ""],
  ["day", "on "],
  ["model", "for "],
];

/** A finding as one sentence for people. */
export function describeFinding({ place, problem, found, expected, remedy }: AuditFinding): string {
  const where = PLACES.flatMap(([name, before]) => (place[name] === undefined ? [] : [`${before}${place[name]}`]));
  const subject = where.length === 0 ? "" : `${where.join(", ")}: `;
  return `${subject}${problem} (found ${found}, expected ${expected}). ${remedy}`;
}

/** A counter that was made anew from what it counts. */
export interface RebuiltCount {
  readonly account_id: string;
  readonly key_id: string;
  /** The model and the UTC day of a day's usage; null for a key's own counters. */
  readonly model: string | null;
  readonly day: string | null;
  readonly was: string;
  readonly is: string;
}

export interface RebuildAsked {
  /** Only this account; null: all. */
  readonly account_id: string | null;
  /** The `next` of an earlier part; null for the first. */
  readonly after: string | null;
  /** About how long this part may take. */
  readonly for_ms: number;
}

export interface RebuildPart {
  /** Accounts that were finished. */
  readonly accounts: number;
  readonly changed: readonly RebuiltCount[];
  /** The place where the next part goes on; null when the audit is complete. */
  readonly next: string | null;
}
