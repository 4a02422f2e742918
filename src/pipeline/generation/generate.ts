import type { ClientProtocol, ClientRequest } from "../../core/exchange.ts";
import type { KeyRecord } from "../../core/principal.ts";
import type { Answer, BilledCall } from "../call.ts";
import type { PipelineDeps } from "../deps.ts";
import { finalUsage } from "./final-usage.ts";
import { recallRequest } from "../memory/recall-request.ts";
import { remember } from "../memory/remember.ts";
import { openAnswer } from "./open-answer.ts";
import { type Plan, planRequest, withGrant } from "./plan.ts";
import { type Intake, readAndAdmit } from "../admission/read-and-admit.ts";
import { releaseFailed } from "./release-failed.ts";
import { replayAnswer } from "../admission/replay.ts";
import { RunningRequest } from "./running-request.ts";
import { EVENT_STREAM, StreamedAnswer } from "./stream-answer.ts";
import { clientLeft } from "../asking/vendor-failure.ts";
import { watchClient } from "./watch-client.ts";
import { wholeAnswer } from "./whole-answer.ts";

/**
 * Answers a generation request: checks it, admits it with a hold, asks the vendors, and returns the answer while the
 * ledger settles. Throws the GatewayError that the client gets; the hold has then ended.
 */
export async function generate(deps: PipelineDeps, call: BilledCall, protocol: ClientProtocol): Promise<Answer> {
  const admission = await readAndAdmit(deps, call, call.key, new GenerationIntake(deps, call, protocol));
  if (admission.kind === "replay") return replayAnswer(admission.answer);
  const { request, plan, granted } = admission;
  const admitted = granted === undefined ? admission : withGrant(request, plan, granted);
  call.notes.capped = admitted.request.granted_cap ?? null;
  const run = new RunningRequest(deps, call, admitted.request, admitted.plan);
  try {
    watchClient(call.signal, () => run.current?.abort());
    const opened = await openAnswer(run);
    if (!("kind" in opened)) throw opened.error;
    call.notes.ignored = opened.exchange.ignored;
    if (opened.kind === "stream") return handOut(run, new StreamedAnswer(run, opened));
    if (call.signal.aborted) throw clientLeft();
    const found = finalUsage(run, opened.candidate, opened.answer, true);
    const { settlement, answer } = wholeAnswer(run, opened, found instanceof Promise ? await found : found);
    await run.settle(settlement);
    remember(run, opened.candidate, answer.body);
    return answer;
  } catch (thrown) {
    throw await releaseFailed(run, thrown);
  }
}

/** From here on the answer itself handles a client that leaves. */
function handOut(run: RunningRequest, answer: StreamedAnswer): Answer {
  run.current = answer;
  if (run.signal.aborted) answer.abort();
  return { status: 200, content_type: EVENT_STREAM, headers: {}, body: answer };
}

class GenerationIntake implements Intake<ClientRequest, Plan> {
  readonly #deps: PipelineDeps;
  readonly #call: BilledCall;
  readonly #protocol: ClientProtocol;

  constructor(deps: PipelineDeps, call: BilledCall, protocol: ClientProtocol) {
    this.#deps = deps;
    this.#call = call;
    this.#protocol = protocol;
  }

  read(): ClientRequest | Promise<ClientRequest> {
    const request = this.#protocol.readRequest(this.#call.text, this.#call.headers);
    const { memory, configuration, log } = this.#deps;
    if (memory === null || request.protocol !== "responses") return request;
    const { account_id } = this.#call.key;
    return recallRequest({ memory, account_id, most_bytes: configuration.limits.body_bytes, log }, request);
  }

  plan(key: KeyRecord, request: ClientRequest): Plan {
    return planRequest(this.#deps, this.#call, key, request);
  }
}
