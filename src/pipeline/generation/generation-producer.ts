import type { AnswerProducer, ReadyAnswer, ReadyWhole } from "./answer-admitted.ts";
import type { AttemptVerdict } from "../asking/vendor-failure.ts";
import { continuesStored } from "./collect-text.ts";
import type { Visibility } from "./endings.ts";
import { type FinalUsage, finalUsage } from "./final-usage.ts";
import { inputReport } from "./input-report.ts";
import { type OpenedAnswer, type OpenedWhole, openAnswer } from "./open-answer.ts";
import type { RunningRequest, Settlement } from "./running-request.ts";
import { isSeen, streamsAll } from "./seen-output.ts";
import { StreamedAnswer } from "./stream-answer.ts";
import { EVENT_STREAM } from "./stream-ending.ts";
import { readyWhole, shownBody } from "./whole-answer.ts";

/** How a generation request is answered: whole, or as a stream. */
export class GenerationProducer implements AnswerProducer {
  readonly #run: RunningRequest;

  constructor(run: RunningRequest) {
    this.#run = run;
  }

  make(): Promise<ReadyAnswer> {
    return openAnswer(this.#run).then((opened) => this.#ready(opened));
  }

  /** Synchronous where nothing has to be estimated or fetched, as with most answers. */
  #ready(opened: OpenedAnswer | AttemptVerdict): ReadyAnswer | Promise<ReadyAnswer> {
    if (!("kind" in opened)) throw opened.error;
    const run = this.#run;
    const { call } = run;
    call.metadata.ignored = opened.exchange.ignored;
    if (opened.kind === "stream") {
      const stream = new StreamedAnswer(run, opened, this.visibility());
      const answer = call.write({ status: 200, content_type: EVENT_STREAM, headers: {}, body: stream });
      return { kind: "stream", answer, stream };
    }
    const final = finalUsage(run, opened.candidate, opened.answer, true);
    if (final instanceof Promise) return final.then((later) => this.#readyWhole(opened, later));
    return this.#readyWhole(opened, final);
  }

  #readyWhole(opened: OpenedWhole, final: FinalUsage): ReadyWhole | Promise<ReadyWhole> {
    const run = this.#run;
    const body = shownBody(opened, final);
    if (body instanceof Promise) return body.then((later) => readyWhole(run, opened, final, later));
    return readyWhole(run, opened, final, body);
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
