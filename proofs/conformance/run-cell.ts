import type { Answer } from "./answer.ts";
import type { Cell } from "./cell.ts";
import { checkReceipt, checkVoided } from "./check-receipt.ts";
import { checkAnswer, type ExpectedError } from "./expectation.ts";
import type { Feature, Outcome, Step } from "./feature.ts";
import type { Gateway, Reply } from "./gateway.ts";
import { parseFields } from "./read-fields.ts";
import type { Style } from "./styles/style.ts";
import { STYLES } from "./styles/styles.ts";
import { demand, quote, Violation } from "./violation.ts";

/** The gateway under test, and its models. */
export interface Deployment {
  readonly gateway: Gateway;
  /** The id of a vendor's model of a kind; null when the deployment has no such model. */
  modelFor(vendor: Cell["vendor"], kind: string): string | null;
}

/** Runs the requests of a cell one after the other, up to the first violation. */
export async function runCell(feature: Feature, cell: Cell, deployment: Deployment): Promise<Outcome> {
  const reason = feature.skip?.(cell) ?? null;
  if (reason !== null) return { result: "skip", reason };
  const kind = typeof feature.model === "string" ? feature.model : feature.model(cell);
  const model = deployment.modelFor(cell.vendor, kind);
  if (model === null) return { result: "skip", reason: `the deployment names no model for ${kind}` };
  const before: Answer[] = [];
  for (const [index, stepOf] of feature.steps.entries()) {
    try {
      const answer = await runStep(stepOf(cell, before), { cell, model, gateway: deployment.gateway });
      if (answer !== null) before.push(answer);
    } catch (thrown) {
      if (!(thrown instanceof Violation)) throw thrown;
      const place = feature.steps.length === 1 ? "" : `request ${index + 1}: `;
      return { result: "fail", violation: place + thrown.message };
    }
  }
  return { result: "pass" };
}

interface Place {
  readonly cell: Cell;
  readonly model: string;
  readonly gateway: Gateway;
}

async function runStep(step: Step, { cell, model, gateway }: Place): Promise<Answer | null> {
  const style = STYLES[cell.client];
  const asked = { model, stream: cell.stream };
  const body = style.body(step.question, asked);
  const reply = await gateway.post(
    typeof style.path === "string" ? style.path : style.path(asked),
    body,
    style.headers,
  );
  const request_id = reply.headers.get("x-camino-request-id") ?? "";
  if (step.error !== undefined) {
    checkError(reply, step.error, style);
    if (reply.status >= 500) checkVoided(await gateway.receipt(request_id));
    return null;
  }
  demand(reply.status === 200, `status ${reply.status}: ${quote(reply.text)}`);
  const answer = readAnswer(reply, step, cell);
  checkAnswer(answer, step.answer ?? {});
  checkIgnored(reply, step.ignored ?? []);
  checkReceipt(await gateway.receipt(request_id), answer, step.receipt ?? {});
  return answer;
}

function readAnswer({ headers, text }: Reply, { question }: Step, { client, stream }: Cell): Answer {
  const type = headers.get("content-type") ?? "";
  const expected = stream ? "text/event-stream" : "application/json";
  demand(type.startsWith(expected), `'content-type' is ${quote(type)}; expected ${expected}`);
  const style = STYLES[client];
  return stream ? style.readStream(text, question) : style.readWhole(text);
}

function checkError({ status, text }: Reply, { statuses, says = "" }: ExpectedError, style: Style): void {
  demand(statuses.includes(status), `status ${status}; expected ${statuses.join(" or ")}: ${quote(text)}`);
  const message = style.readError(parseFields(text, "the error"));
  demand(message.toLowerCase().includes(says), `the error says ${quote(message)}; expected ${quote(says)} in it`);
}

function checkIgnored({ headers }: Reply, expected: readonly string[]): void {
  const named = (headers.get("x-camino-ignored") ?? "").split(/,\s*/).filter((name) => name !== "");
  const [found, wanted] = [named.sort().join(", "), [...expected].sort().join(", ")];
  demand(found === wanted, `'x-camino-ignored' names ${quote(found)}; expected ${quote(wanted)}`);
}
