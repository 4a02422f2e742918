import { BadRequest, type BadRequestDetails } from "../ask.ts";
import type { ModelName } from "../model-name.ts";
import type { Json } from "../protocols/read.ts";

/** The parts of a request that rules check. */
interface RuleRequest {
  readonly body: Json;
  readonly path: string;
  readonly model: ModelName;
  /** Whether the simulated model thinks. */
  readonly thinks: boolean;
}

/** The vendor's error for a request that it refuses. */
export interface Complaint extends BadRequestDetails {
  readonly message: string;
}

/**
 * A kind of request that a real vendor refuses. The words are the vendor's own, from its documents or from public
 * reports, so that a test of the gateway fails as a call to the vendor would.
 */
export interface Rule {
  /** Names the refused requests, for readers of the table and of failed tests. */
  readonly refuses: string;
  /** The complaint about a request; null for a request that keeps the rule. */
  readonly find: (request: RuleRequest) => Complaint | null;
}

/** Refuses a request by the first rule that it breaks. */
export function enforce(rules: readonly Rule[], request: RuleRequest): void {
  for (const { find } of rules) {
    const complaint = find(request);
    if (complaint !== null) throw new BadRequest(complaint.message, complaint.param ?? null, complaint);
  }
}

/** The first complaint about any of several items. */
export function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => Complaint | null): Complaint | null {
  for (const item of items) {
    const complaint = find(item);
    if (complaint !== null) return complaint;
  }
  return null;
}

/** The members of an object that are not among the known ones. */
export function unknownOf(value: Json, known: ReadonlySet<string>): string[] {
  return Object.keys(value).filter((name) => !known.has(name));
}
