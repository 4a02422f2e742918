import type { ClientProtocol, ClientRequest } from "../../core/exchange.ts";
import type { KeyRecord } from "../../core/principal.ts";
import type { BilledCall, WrittenAnswer } from "../call.ts";
import type { PipelineDeps } from "../deps.ts";
import type { LargeBody } from "../large-bodies/large-bodies.ts";
import { recallRequest } from "../memory/recall-request.ts";
import { type Plan, planRequest, withGrant } from "./plan.ts";
import { type Admission, type RequestPlanner, readAndAdmit } from "../admission/read-and-admit.ts";
import { answerAdmitted } from "./answer-admitted.ts";
import { GenerationProducer } from "./generation-producer.ts";
import { replayAnswer } from "../admission/replay.ts";
import { RunningRequest } from "./running-request.ts";

/**
 * Answers a generation request: checks it, admits it with a hold, asks the vendors, and returns the answer while the
 * ledger settles. Throws the GatewayError that the client gets; the hold has then ended.
 */
export async function generate(deps: PipelineDeps, call: BilledCall, protocol: ClientProtocol): Promise<WrittenAnswer> {
  const intake = new GenerationIntake(deps, call, protocol);
  let admission: Admission<ClientRequest, Plan>;
  try {
    admission = await readAndAdmit(deps, call, call.key, intake);
  } catch (thrown) {
    intake.release();
    throw thrown;
  }
  if (admission.kind === "replay") {
    intake.release();
    return call.write(replayAnswer(admission.answer));
  }
  const { request, plan, granted } = admission;
  const admitted = granted === undefined ? admission : withGrant(request, plan, granted);
  call.metadata.capped = admitted.request.granted_cap ?? null;
  const run = new RunningRequest(deps, call, admitted.request, admitted.plan);
  return await answerAdmitted(run, new GenerationProducer(run));
}

class GenerationIntake implements RequestPlanner<ClientRequest, Plan> {
  readonly #deps: PipelineDeps;
  readonly #call: BilledCall;
  readonly #protocol: ClientProtocol;
  /** The reading of a large body: it is done once, however often the request is planned. */
  #large: ReturnType<PipelineDeps["large_bodies"]["read"]> | null = null;

  constructor(deps: PipelineDeps, call: BilledCall, protocol: ClientProtocol) {
    this.#deps = deps;
    this.#call = call;
    this.#protocol = protocol;
  }

  read(): ClientRequest | Promise<ClientRequest> {
    const { large_body } = this.#call;
    if (large_body !== null) {
      this.#large ??= this.#readLarge(large_body);
      return this.#large;
    }
    const request = this.#protocol.readRequest(this.#call.text, this.#call.headers);
    const { memory, configuration, log } = this.#deps;
    if (memory === null || request.protocol !== "responses") return request;
    const { account_id } = this.#call.key;
    return recallRequest({ memory, account_id, most_bytes: configuration.limits.body_bytes, log }, request);
  }

  #readLarge(body: LargeBody): ReturnType<PipelineDeps["large_bodies"]["read"]> {
    const { large_bodies, memory, configuration } = this.#deps;
    const { headers, key, signal, idempotency_key } = this.#call;
    const { account_id } = key;
    return large_bodies.read({
      ...{ route: this.#protocol.endpoint, body, headers, signal, is_repeatable: idempotency_key !== null },
      recall: memory === null ? null : { account_id, most_bytes: configuration.limits.body_bytes },
    });
  }

  /** The request goes no further. */
  release(): void {
    this.#large?.then(
      ({ remote }) => remote.release(),
      () => {},
    );
  }

  plan(key: KeyRecord, request: ClientRequest): Plan | Promise<Plan> {
    return planRequest(this.#deps, this.#call, key, request);
  }
}
