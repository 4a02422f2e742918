import { useEffect, useRef, useState } from "react";
import type { Body } from "../chat/turns.ts";
import { unanswered } from "../chat/use-conversation.ts";
import { type DecisionShape, STYLES } from "../endpoints.ts";
import { type Failure, parse, readFailure } from "../wire/failure.ts";
import { post } from "../wire/post.ts";
import { readAnswers, type ShownAnswer } from "./read-answers.ts";

export interface DecisionRun {
  readonly shape: DecisionShape;
  readonly body: Body;
  readonly phase: "running" | "done" | "stopped" | "failed";
  readonly answers: readonly ShownAnswer[];
  /** The answer's body, unchanged. */
  readonly raw: string | null;
  readonly duration_ms: number | null;
  readonly request_id: string | null;
  readonly failure: Failure | null;
}

export interface Decision {
  readonly run: DecisionRun | null;
  readonly running: boolean;
  decide(shape: DecisionShape, body: Body): void;
  stop(): void;
}

/** Requests decisions, one at a time. The last decision stays until the next one comes. */
export function useDecision(account: string): Decision {
  const [run, setRun] = useState<DecisionRun | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const running = run?.phase === "running";
  return {
    run,
    running,
    decide: (shape, body) => {
      if (running) return;
      const controller = new AbortController();
      abort.current = controller;
      const begun: DecisionRun = { ...NEW_RUN, shape, body };
      setRun(begun);
      void ask(begun, account, controller.signal).then(setRun);
    },
    stop: () => abort.current?.abort(),
  };
}

const NEW_RUN: Omit<DecisionRun, "shape" | "body"> = {
  phase: "running",
  answers: [],
  raw: null,
  duration_ms: null,
  request_id: null,
  failure: null,
};

/** Runs a request and returns the finished run. Never throws: an error becomes the run's failure. */
async function ask(begun: DecisionRun, account: string, signal: AbortSignal): Promise<DecisionRun> {
  const began = performance.now();
  let run = begun;
  try {
    const response = await post({ account, path: STYLES[run.shape].path, body: run.body, signal });
    run = { ...run, request_id: response.headers.get("x-camino-request-id") };
    if (!response.ok) return { ...run, phase: "failed", failure: await readFailure(response) };
    const raw = await response.text();
    const answers = readAnswers(parse(raw));
    return { ...run, phase: "done", raw, answers, duration_ms: performance.now() - began };
  } catch (thrown) {
    if (signal.aborted) return { ...run, phase: "stopped" };
    return { ...run, phase: "failed", failure: unanswered(thrown) };
  }
}
