import { toGatewayError } from "../core/errors.ts";
import type { ClientRequest } from "../core/exchange.ts";
import { type Admission, admit } from "./admit.ts";
import type { CallHolder } from "./attempt.ts";
import type { Answer, GenerationCall } from "./call.ts";
import type { PipelineDeps } from "./deps.ts";
import { openAnswer } from "./open-answer.ts";
import { replayAnswer } from "./replay.ts";
import { RunningRequest } from "./running-request.ts";
import { EVENT_STREAM, StreamBody } from "./stream-answer.ts";
import { clientLeft } from "./vendor-failure.ts";
import { answerWhole } from "./whole-answer.ts";

/**
 * Answers a generation request: checks it, admits it with a hold, asks the vendors, and hands the answer out while the
 * ledger settles. Throws the GatewayError that the client gets; the hold has ended by then. `onEnd` is called once when
 * a streamed answer has sent its last byte.
 */
export async function generate(deps: PipelineDeps, call: GenerationCall, onEnd: () => void): Promise<Answer> {
  const { request, admission } = await readAndAdmit(deps, call);
  if (admission.kind === "replay") return replayAnswer(admission.answer);
  const run = new RunningRequest(deps, call, request, admission.plan);
  try {
    return await runRequest(run, onEnd);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.code === "internal_error")
      deps.log.error({ request_id: call.request_id, err: error.cause ?? error }, error.message);
    await run.release(call.signal.aborted ? null : error.code);
    throw error;
  }
}

interface Admitted {
  readonly request: ClientRequest;
  readonly admission: Admission;
}

/**
 * Checks and admits. A refusal by a remembered key record is only final once the key was read again: it may have been
 * disabled since, or been given the alias that was missing.
 */
async function readAndAdmit(deps: PipelineDeps, call: GenerationCall): Promise<Admitted> {
  try {
    const request = call.protocol.readRequest(call.text, call.headers);
    return { request, admission: await admit(deps, call, request) };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (call.notes.decided || error.row.status === 401 || error.row.status >= 500) throw thrown;
    const key = await call.reloadKey();
    if (key.version !== call.key.version) return await readAndAdmit(deps, { ...call, key });
    const { id: key_id, account_id } = key;
    deps.ledger.countRefusal({ op: "count-refusal", account_id, key_id, model: call.notes.model });
    throw thrown;
  }
}

async function runRequest(run: RunningRequest, onEnd: () => void): Promise<Answer> {
  const { signal } = run.call;
  const holder: CallHolder = { current: null };
  // Until content is there nothing is owed, whatever the vendor's policy (docs/rulings.md 46).
  const leave = () => holder.current?.abort();
  signal.addEventListener("abort", leave, { once: true });
  try {
    // A client that left while it was being admitted has fired already.
    if (signal.aborted) throw clientLeft();
    const opened = await openAnswer(run, holder);
    if (opened.kind === "stream")
      return { status: 200, content_type: EVENT_STREAM, headers: {}, body: new StreamBody(run, opened, onEnd) };
    if (signal.aborted) throw clientLeft();
    return await answerWhole(run, opened);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
