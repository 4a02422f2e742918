import type { Json } from "../code/literals.ts";
import type { Answer, Usage } from "./turns.ts";

/** An answer that is being read: events are added to it, and `answerOf` returns the answer so far. */
export interface Draft {
  text: string;
  reasoning: string;
  refusal: string;
  /** Tool calls by the index that the style gives them. */
  calls: Map<number, { id: string; name: string; arguments: string }>;
  usage: Usage | null;
  finish: string | null;
  sealed: Map<number, { [name: string]: Json }>;
}

export function emptyDraft(): Draft {
  return { text: "", reasoning: "", refusal: "", calls: new Map(), usage: null, finish: null, sealed: new Map() };
}

export function answerOf({ text, reasoning, refusal, calls, usage, finish, sealed }: Draft): Answer {
  return {
    ...{ text, reasoning, refusal, usage, finish },
    calls: [...calls.values()].map((call) => ({ ...call })),
    sealed: [...sealed.values()].map((item) => ({ ...item })),
  };
}

/** The call with an index, which is added where it is new. */
export function callAt(draft: Draft, index: number): { id: string; name: string; arguments: string } {
  const known = draft.calls.get(index);
  if (known !== undefined) return known;
  const begun = { id: "", name: "", arguments: "" };
  draft.calls.set(index, begun);
  return begun;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
