import type { OnDisconnect } from "../../../../src/core/catalog/catalog.ts";
import {
  CHARGES,
  type Charge,
  DRAINS_VENDOR,
  type Phase,
  type Visibility,
} from "../../../../src/pipeline/settle/endings.ts";

/** The failure policy (docs/rulings.md 24) as cells: every case that a client can meet, and what follows from it. */

/** How an answer is asked for. What a `hidden` stream's model thinks is not in the stream. */
export type How = "streamed" | "streamed, hidden" | "whole" | "decision";

/** Something that goes wrong. */
export interface Mishap {
  readonly name: string;
  readonly phase: Phase;
  readonly cause: "vendor_failed" | "client_left";
  /** The simulator's model that makes it happen, by how it is asked; absent where it cannot happen. */
  readonly upstream: Partial<Readonly<Record<How, string>>>;
  /** The vendor to which it happens: with short time limits, with one for silence alone, or at an address where nobody listens. */
  readonly vendor?: "hasty" | "hushed" | "gone";
}

/** What follows: `usage` is the whole answer by the vendor's own count. */
export type Charged = Charge | "usage";

export interface Cell {
  readonly how: How;
  readonly mishap: Mishap;
  readonly policy: OnDisconnect;
  readonly charged: Charged;
}

export const POLICIES: readonly OnDisconnect[] = ["auto", "abort", "drain"];
export const HOWS: readonly How[] = ["streamed", "streamed, hidden", "whole", "decision"];

function generated(name: string): Mishap["upstream"] {
  return { streamed: name, "streamed, hidden": name, whole: name };
}

function everywhere(name: string, decision: string): Mishap["upstream"] {
  return { ...generated(name), decision };
}

function streamed(name: string): Mishap["upstream"] {
  return { streamed: name, "streamed, hidden": name };
}

const FAILED = { cause: "vendor_failed" } as const;
const LEFT = { cause: "client_left" } as const;
/** The number of output tokens of an answer that is made to its end. */
export const TOKENS = 8;
const LONG = `long@tokens=${TOKENS}`;

export const MISHAPS: readonly Mishap[] = [
  { ...FAILED, phase: "asked", name: "The vendor refuses", upstream: everywhere("fail@status=500", "decider-500") },
  {
    ...{ ...FAILED, phase: "asked", name: "The vendor cannot be reached", vendor: "gone" },
    upstream: everywhere("echo", "decider"),
  },
  {
    ...{ ...FAILED, phase: "asked", name: "The vendor does not answer", vendor: "hasty" },
    upstream: everywhere("hang", "decider-hang"),
  },
  {
    ...{ ...FAILED, phase: "asked", name: "The connection breaks before an answer" },
    upstream: everywhere("cut-headers", "decider@fault=cut-headers"),
  },
  {
    ...{ ...FAILED, phase: "opened", name: "The vendor answers with an error inside a 200" },
    upstream: everywhere("error-first", "decider-error-200"),
  },
  {
    ...FAILED,
    phase: "opened",
    name: "The answer is empty and not counted",
    upstream: everywhere("empty-200", "decider-empty"),
  },
  {
    ...{ ...FAILED, phase: "opened", name: "The connection breaks before content" },
    upstream: everywhere("cut-before-content", "decider-cut"),
  },
  {
    ...{ ...FAILED, phase: "opened", name: "The vendor falls silent before content", vendor: "hasty" },
    upstream: everywhere("hang-after-headers", "decider-stall"),
  },
  {
    ...{ ...FAILED, phase: "opened", name: "The body cannot be read" },
    upstream: { whole: "bad-json", decision: "decider-truncated" },
  },
  { ...FAILED, phase: "begun", name: "The connection breaks after content", upstream: streamed("cut-mid") },
  { ...FAILED, phase: "begun", name: "The vendor reports an error after content", upstream: streamed("error-mid") },
  { ...FAILED, phase: "begun", name: "The stream ends without its end", upstream: streamed("end-mid") },
  {
    ...{ ...FAILED, phase: "begun", name: "The vendor falls silent after content", vendor: "hushed" },
    upstream: streamed("stall-mid"),
  },
  {
    ...{ ...LEFT, phase: "asked", name: "The client leaves before the vendor answers" },
    upstream: everywhere(`${LONG}&first_ms=400`, "decider@first_ms=400"),
  },
  {
    ...{ ...LEFT, phase: "opened", name: "The client leaves before content" },
    upstream: {
      ...streamed(`${LONG}&ms=150`),
      whole: `${LONG}&fault=slow-body&pause_ms=400`,
      decision: "decider@fault=slow-body&pause_ms=400",
    },
  },
  { ...LEFT, phase: "begun", name: "The client leaves after content", upstream: streamed(`${LONG}&ms=60`) },
];

/**
 * The simulator's model for a case. An answer that the gateway is to cut off takes so long that a client which is late on a
 * busy machine still leaves in the middle of it; an answer that is read to its end is quick.
 */
export function upstreamOf({ how, mishap, charged }: Cell): string {
  const name = mishap.upstream[how] ?? "";
  if (mishap.cause !== "client_left" || charged === "usage") return name;
  return name.replace(/(first_ms|pause_ms|ms)=(\d+)/, (_, time: string, ms: string) => {
    return `${time}=${Number(ms) * (time === "ms" ? 10 : 50)}`;
  });
}

export function visibilityOf(how: How): Visibility {
  return how === "streamed" ? "seen" : "unseen";
}

function chargedIn(how: How, { phase, cause }: Mishap, policy: OnDisconnect): Charged {
  if (cause === "client_left" && DRAINS_VENDOR[policy][visibilityOf(how)]) return "usage";
  return CHARGES[cause][phase];
}

/** Every cell of the policy, from the tables that the pipeline asks. */
export const CELLS: readonly Cell[] = MISHAPS.flatMap((mishap) =>
  HOWS.filter((how) => mishap.upstream[how] !== undefined).flatMap((how) =>
    POLICIES.map((policy) => ({ how, mishap, policy, charged: chargedIn(how, mishap, policy) })),
  ),
);
