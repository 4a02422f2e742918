import { useEffect, useRef, useState } from "react";
import type { Body } from "../chat/turns.ts";
import { unanswered } from "../chat/use-conversation.ts";
import { STYLES, type Style } from "../endpoints.ts";
import { type Failure, readFailure } from "../wire/failure.ts";
import { post } from "../wire/post.ts";

/** What was read of an answer: `raw` is the answer as it came, or a word for bytes that nobody reads. */
export interface Read<Answer> {
  readonly answer: Answer;
  readonly raw: string;
}

export interface CallRun<Answer> {
  readonly style: Style;
  readonly phase: "running" | "done" | "stopped" | "failed";
  readonly read: Read<Answer> | null;
  readonly duration_ms: number | null;
  readonly request_id: string | null;
  readonly failure: Failure | null;
}

export interface Call<Answer> {
  readonly run: CallRun<Answer> | null;
  readonly running: boolean;
  send(style: Style, body: Body): void;
  stop(): void;
}

/** Sends requests, one at a time. The last answer stays until the next one comes. `read` reads an answer of status 200. */
export function useCall<Answer>(account: string, read: (response: Response) => Promise<Read<Answer>>): Call<Answer> {
  const [run, setRun] = useState<CallRun<Answer> | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const running = run?.phase === "running";
  return {
    run,
    running,
    send: (style, body) => {
      if (running) return;
      const controller = new AbortController();
      abort.current = controller;
      setRun({ ...NEW_RUN, style });
      void ask({ style, body, account, read, signal: controller.signal }).then(setRun);
    },
    stop: () => abort.current?.abort(),
  };
}

const NEW_RUN = { phase: "running", read: null, duration_ms: null, request_id: null, failure: null } as const;

interface Asked<Answer> {
  readonly style: Style;
  readonly body: Body;
  readonly account: string;
  readonly signal: AbortSignal;
  readonly read: (response: Response) => Promise<Read<Answer>>;
}

/** Runs a request and returns the finished run. Never throws: an error becomes the run's failure. */
async function ask<Answer>({ style, body, account, signal, read }: Asked<Answer>): Promise<CallRun<Answer>> {
  const began = performance.now();
  let run: CallRun<Answer> = { ...NEW_RUN, style };
  try {
    const response = await post({ account, path: STYLES[style].path, body, signal });
    run = { ...run, request_id: response.headers.get("x-camino-request-id") };
    if (!response.ok) return { ...run, phase: "failed", failure: await readFailure(response) };
    return { ...run, phase: "done", read: await read(response), duration_ms: performance.now() - began };
  } catch (thrown) {
    if (signal.aborted) return { ...run, phase: "stopped" };
    return { ...run, phase: "failed", failure: unanswered(thrown) };
  }
}
