import type { Json } from "../code/literals.ts";
import type { ChatStyle } from "../endpoints.ts";
import type { Failure } from "../wire/failure.ts";

/** An image that is attached to a message. */
export interface ImageFile {
  readonly name: string;
  /** `data:image/png;base64,…` */
  readonly url: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON, exactly as the model wrote them. */
  readonly arguments: string;
}

/** Tokens as the endpoint reported them. Cached tokens are part of the input. */
export interface Usage {
  readonly input: number;
  readonly output: number;
}

/** An answer so far, in a neutral form. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage | null;
  /** The finish reason in the style's own word; null until the answer has ended. */
  readonly finish: string | null;
  /** Signed reasoning, which the next request must send back unchanged. */
  readonly sealed: readonly Json[];
}

export interface RawEvent {
  /** Milliseconds since the request was sent. */
  readonly at_ms: number;
  readonly raw: string;
}

export type Body = { readonly [name: string]: Json | undefined };

/** One request with its answer. */
export interface Run {
  readonly id: number;
  readonly style: ChatStyle;
  readonly model: string;
  readonly body: Body;
  readonly phase: "waiting" | "streaming" | "done" | "stopped" | "failed";
  readonly answer: Answer;
  readonly events: readonly RawEvent[];
  /** Time to the first event with content; `duration_ms`: to the end. */
  readonly first_ms: number | null;
  readonly duration_ms: number | null;
  /** The gateway's id of the request, which finds its receipt; null before the head of the answer. */
  readonly request_id: string | null;
  /** Parameters that the gateway reports as ignored, because the model's vendor cannot honour them. */
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

/**
 * The parts of an answer that the next request sends back: tool calls and seals only of a complete answer
 * (docs/rulings.md 125).
 */
export function replayed({ phase, answer }: Run): Pick<Answer, "text" | "calls" | "sealed"> {
  return phase === "done" ? answer : { text: answer.text, calls: [], sealed: [] };
}

/** The tool calls that wait for results: the calls of the last answer. */
export function openCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1);
  return last?.role === "assistant" ? replayed(last.run).calls : [];
}
