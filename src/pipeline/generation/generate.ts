import type { ClientProtocol, ClientRequest } from "../../core/exchange.ts";
import type { KeyRecord } from "../../core/principal.ts";
import type { BilledCall, WrittenAnswer } from "../call.ts";
import type { PipelineDeps } from "../deps.ts";
import { recallRequest } from "../memory/recall-request.ts";
import { type Plan, planRequest, withGrant } from "./plan.ts";
import { type Intake, readAndAdmit } from "../admission/read-and-admit.ts";
import { answerAdmitted } from "./answer-admitted.ts";
import { Generating } from "./generating.ts";
import { replayAnswer } from "../admission/replay.ts";
import { RunningRequest } from "./running-request.ts";

/**
 * Answers a generation request: checks it, admits it with a hold, asks the vendors, and returns the answer while the
 * ledger settles. Throws the GatewayError that the client gets; the hold has then ended.
 */
export async function generate(deps: PipelineDeps, call: BilledCall, protocol: ClientProtocol): Promise<WrittenAnswer> {
  const admission = await readAndAdmit(deps, call, call.key, new GenerationIntake(deps, call, protocol));
  if (admission.kind === "replay") return call.write(replayAnswer(admission.answer));
  const { request, plan, granted } = admission;
  const admitted = granted === undefined ? admission : withGrant(request, plan, granted);
  call.notes.capped = admitted.request.granted_cap ?? null;
  const run = new RunningRequest(deps, call, admitted.request, admitted.plan);
  return await answerAdmitted(run, new Generating(run));
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
