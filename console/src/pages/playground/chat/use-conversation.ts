import { useEffect, useRef, useState } from "react";
import { ApiError, messageOf } from "../../../api/api-error.ts";
import { queryClient } from "../../../api/query-client.ts";
import { type ChatStyle, STYLES } from "../endpoints.ts";
import { asObject, type Failure, failureOf, parse, readFailure } from "../wire/failure.ts";
import { post } from "../wire/post.ts";
import { readFrames, type SseFrame } from "../wire/sse.ts";
import { answerOf, type Draft, emptyDraft } from "./draft.ts";
import { isFailureEvent, PROTOCOLS } from "./protocols.ts";
import { type Body, isRunning, type RawEvent, type Run, runsOf, type Turn } from "./turns.ts";

/** A stream may bring hundreds of events a second; the page is drawn at most once in this time. */
const DRAW_MS = 40;

export interface Conversation {
  readonly turns: readonly Turn[];
  /** The request that is running, or ran last. */
  readonly last: Run | undefined;
  readonly running: boolean;
  /** Adds a turn and requests the answer to the conversation; without a turn, requests the last answer anew. */
  send(turn: Turn | null, request: { style: ChatStyle; model: string; body: (turns: readonly Turn[]) => Body }): void;
  stop(): void;
  clear(): void;
}

let runs_made = 0;

/**
 * A conversation with an account's models: its turns, and the running request. `compared`: the model of a conversation that stands
 * beside others.
 */
export function useConversation(account: string, compared = ""): Conversation {
  const place = placeOf(account, compared);
  const [turns, setTurns] = useState(() => keptTurns(place));
  useEffect(() => keepTurns(place, turns), [place, turns]);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const show = (run: Run) =>
    setTurns((now) =>
      now.map((turn) => (turn.role === "assistant" && turn.run.id === run.id ? { role: "assistant", run } : turn)),
    );
  const last = runsOf(turns).at(-1);
  return {
    turns,
    last,
    running: isRunning(last),
    send: (turn, { style, model, body }) => {
      const kept = turns.at(-1)?.role === "assistant" && turn === null ? turns.slice(0, -1) : turns;
      const asked = turn === null ? kept : [...kept, turn];
      runs_made += 1;
      const run: Run = { ...NEW_RUN, id: runs_made, style, model, body: body(asked) };
      setTurns([...asked, { role: "assistant", run }]);
      const controller = new AbortController();
      abort.current = controller;
      void follow({ run, account, signal: controller.signal, show });
    },
    stop: () => abort.current?.abort(),
    clear: () => {
      abort.current?.abort();
      setTurns([]);
    },
  };
}

const CONVERSATIONS = "playground conversation";
// For as long as the session: who signs out or in takes nothing over (api/session.ts clears the cache).
queryClient.setQueryDefaults([CONVERSATIONS], { gcTime: Number.POSITIVE_INFINITY });

/** Puts turns in the place of an account's conversation: the playground shows them when it is opened. */
export function replaceConversation(account: string, turns: readonly Turn[]): void {
  keepTurns(placeOf(account), turns);
}

function placeOf(account: string, compared = ""): string {
  return `${account} ${compared}`;
}

/** Keeps a conversation for when its reader comes back, for example from the receipt of one of its requests. */
function keepTurns(place: string, turns: readonly Turn[]): void {
  queryClient.setQueryData([CONVERSATIONS, place], turns);
}

function keptTurns(place: string): readonly Turn[] {
  const turns = queryClient.getQueryData<readonly Turn[]>([CONVERSATIONS, place]) ?? [];
  // An answer that ran when the reader left was stopped then.
  return turns.map((turn) =>
    turn.role === "assistant" && isRunning(turn.run)
      ? { role: "assistant", run: { ...turn.run, phase: "stopped" } }
      : turn,
  );
}

const NEW_RUN: Omit<Run, "id" | "style" | "model" | "body"> = {
  phase: "waiting",
  answer: answerOf(emptyDraft()),
  events: [],
  first_ms: null,
  duration_ms: null,
  request_id: null,
  ignored: [],
  failure: null,
};

interface Following {
  readonly run: Run;
  readonly account: string;
  readonly signal: AbortSignal;
  readonly show: (run: Run) => void;
}

/** Sends a run's request and shows its answer to the end. Never throws: an error becomes the run's failure. */
async function follow({ run, account, signal, show }: Following): Promise<void> {
  const began = performance.now();
  const since = () => performance.now() - began;
  const draft = emptyDraft();
  const events: RawEvent[] = [];
  const board = new Board(run, show);
  const soFar = () => ({ answer: answerOf(draft), events: [...events] });
  const finish = (phase: Run["phase"], failure: Failure | null) =>
    board.draw({ phase, failure, ...soFar(), duration_ms: since() });
  try {
    const response = await post({ account, path: STYLES[run.style].path, body: run.body, signal });
    board.draw({ request_id: response.headers.get("x-camino-request-id"), ignored: ignoredIn(response) });
    if (!response.ok || response.body === null) return finish("failed", await readFailure(response));
    let first_ms: number | null = null;
    for await (const frame of readFrames(response.body)) {
      events.push({ at_ms: since(), raw: frame.raw });
      const failure = readFrame(draft, run.style, frame);
      if (failure !== null) return finish("failed", failure);
      if (hasContent(draft)) first_ms ??= since();
      board.drawSoon(() => ({ phase: "streaming", first_ms, ...soFar() }));
    }
    if (draft.finish === null) finish("failed", failureOf("", null));
    else finish("done", null);
  } catch (thrown) {
    if (signal.aborted) finish("stopped", null);
    else finish("failed", unanswered(thrown));
  }
}

/** Shows a run as it changes, gathering changes that come within DRAW_MS into one drawing. */
class Board {
  #run: Run;
  readonly #show: (run: Run) => void;
  #waiting: (() => Partial<Run>) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(run: Run, show: (run: Run) => void) {
    this.#run = run;
    this.#show = show;
  }

  draw(changes: Partial<Run>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#run = { ...this.#run, ...this.#waiting?.(), ...changes };
    this.#waiting = null;
    this.#show(this.#run);
  }

  drawSoon(changes: () => Partial<Run>): void {
    this.#waiting = changes;
    this.#timer ??= setTimeout(() => this.draw({}), DRAW_MS);
  }
}

function readFrame(draft: Draft, style: ChatStyle, { data }: SseFrame): Failure | null {
  if (data === null || data === "[DONE]") return null;
  const event = asObject(parse(data));
  if (isFailureEvent(event)) return failureOf(data, null);
  PROTOCOLS[style].read(draft, event);
  return null;
}

function hasContent({ text, reasoning, refusal, calls }: Draft): boolean {
  return text !== "" || reasoning !== "" || refusal !== "" || calls.size > 0;
}

function ignoredIn(response: Response): string[] {
  return (response.headers.get("x-camino-ignored") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

export function unanswered(thrown: unknown): Failure {
  const code = thrown instanceof ApiError ? thrown.code : null;
  const broke = thrown instanceof TypeError;
  return {
    status: null,
    message: broke ? "The connection broke before the answer was complete." : messageOf(thrown),
    type: null,
    code,
    body: null,
  };
}
