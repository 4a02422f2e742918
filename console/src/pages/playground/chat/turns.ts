import type { Json } from "../code/literals.ts";
import type { ChatStyle } from "../endpoints.ts";
import type { Failure } from "../wire/failure.ts";

/** A picture that goes along with a message. */
export interface ImageFile {
  readonly name: string;
  /** `data:image/png;base64,…` */
  readonly url: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** Tokens as the endpoint told them; cached ones are part of the input. */
export interface Usage {
  readonly input: number;
  readonly output: number;
}

/** An answer as far as it has come, in no style's words. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage | null;
  /** Why it ended, in the style's own word. */
  readonly finish: string | null;
  /** What must go back with the next request as it came: signed reasoning. */
  readonly sealed: readonly Json[];
}

export interface RawEvent {
  /** Milliseconds since the request was sent. */
  readonly at_ms: number;
  readonly raw: string;
}

export type Body = { readonly [name: string]: Json | undefined };

/** One request and all that came of it. */
export interface Run {
  readonly id: number;
  readonly style: ChatStyle;
  readonly model: string;
  readonly body: Body;
  readonly phase: "waiting" | "streaming" | "done" | "stopped" | "failed";
  readonly answer: Answer;
  readonly events: readonly RawEvent[];
  /** To the first event with content, and to the end. */
  readonly first_ms: number | null;
  readonly duration_ms: number | null;
  /** Our id of the request, by which its receipt is found; null before the head of the answer. */
  readonly request_id: string | null;
  /** Parameters that the model's vendor cannot honour, as the gateway says. */
  readonly ignored: readonly string[];
  readonly failure: Failure | null;
}

export type Turn =
  | { readonly role: "user"; readonly text: string; readonly images: readonly ImageFile[] }
  | { readonly role: "tool"; readonly results: readonly { readonly call: ToolCall; readonly output: string }[] }
  | { readonly role: "assistant"; readonly run: Run };

export function isRunning(run: Run | undefined): boolean {
  return run?.phase === "waiting" || run?.phase === "streaming";
}

export function runsOf(turns: readonly Turn[]): Run[] {
  return turns.flatMap((turn) => (turn.role === "assistant" ? [turn.run] : []));
}

/** What of an answer goes back with the next request: calls and seals only where they are whole. */
export function replayed({ phase, answer }: Run): Pick<Answer, "text" | "calls" | "sealed"> {
  return phase === "done" ? answer : { text: answer.text, calls: [], sealed: [] };
}

/** The calls that wait for their results: those of the last answer. */
export function openCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1);
  return last?.role === "assistant" ? replayed(last.run).calls : [];
}
