import { remember } from "../memory/remember.ts";
import type { AnswerProducer, ReadyAnswer } from "./answer-admitted.ts";
import { continuesStored } from "./collect-text.ts";
import type { Visibility } from "./endings.ts";
import { finalUsage } from "./final-usage.ts";
import { inputReport } from "./input-report.ts";
import { openAnswer } from "./open-answer.ts";
import type { RunningRequest, Settlement } from "./running-request.ts";
import { isSeen, streamsAll } from "./seen-output.ts";
import { StreamedAnswer } from "./stream-answer.ts";
import { EVENT_STREAM } from "./stream-ending.ts";
import { shownBody, wholeAnswer } from "./whole-answer.ts";

/** How a generation request is answered: whole, or as a stream. */
export class GenerationProducer implements AnswerProducer {
  readonly #run: RunningRequest;

  constructor(run: RunningRequest) {
    this.#run = run;
  }

  async make(): Promise<ReadyAnswer> {
    const run = this.#run;
    const { call } = run;
    const opened = await openAnswer(run);
    if (!("kind" in opened)) throw opened.error;
    call.metadata.ignored = opened.exchange.ignored;
    if (opened.kind === "stream") {
      const stream = new StreamedAnswer(run, opened, this.visibility());
      const answer = call.write({ status: 200, content_type: EVENT_STREAM, headers: {}, body: stream });
      return { kind: "stream", answer, stream };
    }
    const found = finalUsage(run, opened.candidate, opened.answer, true);
    const final = found instanceof Promise ? await found : found;
    const shown = shownBody(opened, final);
    const body = shown instanceof Promise ? await shown : shown;
    const { settlement, answer } = wholeAnswer(run, opened, final, body);
    const settled = (): void => remember(run, opened.candidate, answer.body);
    return { kind: "whole", answer: call.write(answer), settlement, settled };
  }

  /** What the vendor has stored is no more seen than what it thinks: only its usage tells how much of it was read. */
  visibility(): Visibility {
    const { asked, request } = this.#run;
    if (asked === null || continuesStored(request.body)) return "unseen";
    return isSeen(request, { streams_all: streamsAll(asked.model), routes: [asked] }) ? "seen" : "unseen";
  }

  async chargeLeft(): Promise<Settlement | null> {
    const { begun } = this.#run;
    if (begun === null) return null;
    const { candidate, report } = begun;
    const final = await finalUsage(this.#run, candidate, inputReport(report), false);
    return { candidate, ...final, error: null, success: true, answer: null };
  }
}
