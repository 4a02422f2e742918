import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { FormPart } from "../../core/answer/form-part.ts";
import type { BeforeHookSettings } from "../../core/catalog/hook-settings.ts";
import { GatewayError } from "../../core/errors.ts";
import { jsonOrNull } from "../../core/json.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Upstream } from "../../upstream/send.ts";
import type { LargeBody } from "../large-bodies/large-bodies.ts";
import { type TagMetadata, tagMetadata } from "../request/tag-metadata.ts";
import { HookCircuit } from "./hook-circuit.ts";
import { type HookBody, postHook } from "./post-hook.ts";

/** A call, as far as a hook is concerned. */
export interface HookedCall {
  readonly request_id: string;
  readonly endpoint: string;
  readonly text: string;
  readonly large_body: LargeBody | null;
  readonly form: { readonly parts: readonly FormPart[] } | null;
  /** How long the hook took. */
  hook_ms: number | null;
  tagsText(metadata: TagMetadata | null): string | null;
}

export interface AskedOf {
  readonly call: HookedCall;
  readonly key: KeyRecord;
  readonly request: ClientRequest;
  /** The id of the resolved model. */
  readonly model: string;
  /** The body where it is large: a copy, as another thread has the original. */
  readonly copy: Uint8Array | null;
}

export interface HookDeps {
  readonly upstream: Upstream;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly monotonic_ms: () => number;
  /** The most bytes that a request's body may have. */
  readonly most_bytes: number;
}

type HookVerdict =
  | { readonly action: "allow" }
  | { readonly action: "refuse"; readonly message: string }
  | { readonly action: "change"; readonly text: string };

const REFUSED = "The request was refused by the policy of this gateway.";
const LONGEST_MESSAGE = 500;
/** What a hook may say beside a changed body. */
const AROUND_BYTES = 64 * 1024;
const LEAST_WAIT_MS = 1000;

/** Asks an operator's own server about each request before anything is held for it (docs/rulings.md 232). */
export class BeforeHook {
  readonly #settings: BeforeHookSettings;
  readonly #deps: HookDeps;
  readonly #circuit: HookCircuit;

  constructor(settings: BeforeHookSettings, deps: HookDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#circuit = new HookCircuit(deps.monotonic_ms);
  }

  /**
   * Resolves with the body in place of the request's, or null where it stays. Rejects with the 400 of a refusal, or with the 503 where the hook
   * has failed and its failures refuse.
   */
  async ask(asked: AskedOf): Promise<string | null> {
    const { metrics, monotonic_ms } = this.#deps;
    // Tags that are not allowed are the client's mistake.
    const body = bodyOf(asked);
    const wait_ms = this.#circuit.waitMs();
    if (wait_ms > 0)
      return this.#failed(asked, new Error("it has failed too often and rests"), { result: "rests", wait_ms });
    const began_ms = monotonic_ms();
    let verdict: HookVerdict;
    try {
      const { most_bytes } = this.#deps;
      const answer = await postHook(this.#deps.upstream, this.#settings, body, most_bytes + AROUND_BYTES);
      verdict = readVerdict(answer, asked, most_bytes);
    } catch (thrown) {
      this.#circuit.failed();
      return this.#failed(asked, thrown, { result: "failed", wait_ms: 0 });
    } finally {
      const took_ms = monotonic_ms() - began_ms;
      asked.call.hook_ms = (asked.call.hook_ms ?? 0) + took_ms;
      metrics.hook_time.add(took_ms / 1000, "before");
    }
    this.#circuit.succeeded();
    metrics.hook_calls.add(1, "before", verdict.action);
    if (verdict.action === "refuse") throw new GatewayError("refused_by_policy", verdict.message);
    return verdict.action === "change" ? verdict.text : null;
  }

  #failed({ call }: AskedOf, thrown: unknown, { result, wait_ms }: { result: string; wait_ms: number }): null {
    const { metrics, log } = this.#deps;
    metrics.hook_calls.add(1, "before", result);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const { on_failure } = this.#settings;
    log.warn({ request_id: call.request_id, on_failure, why }, "the hook before a request failed");
    if (on_failure === "allow") return null;
    const retry_after_ms = Math.max(LEAST_WAIT_MS, wait_ms);
    throw new GatewayError("model_unavailable", "The check of requests is unavailable for the moment.", {
      retry_after_ms,
    });
  }
}

/** The facts, and the body as it came, which is not parsed and written anew. Of a form, the fields that are texts. */
function bodyOf({ call, key, request, model, copy }: AskedOf): HookBody {
  const tags = call.tagsText(tagMetadata(request.body)) ?? "{}";
  const facts = JSON.stringify({
    ...{ request_id: call.request_id, account: key.account_id, key: key.id, project: key.project?.id ?? null },
    ...{ endpoint: call.endpoint, model },
  });
  const before = `${facts.slice(0, -1)},"tags":${tags},"body":`;
  if (copy !== null) return [Buffer.from(before), copy, Buffer.from("}")];
  if (call.form !== null) return `${before}${JSON.stringify(textsOf(call.form.parts))}}`;
  return `${before}${call.large_body === null ? call.text : "null"}}`;
}

function textsOf(parts: readonly FormPart[]): Record<string, string> {
  const texts = parts.filter(({ file_name }) => file_name === null);
  return Object.fromEntries(texts.map(({ name, data }) => [name, new TextDecoder().decode(data)]));
}

/** Its answer may quote the request: nothing of it is in what is thrown, which is logged. */
function readObject(answer: string): Record<string, unknown> {
  const read = jsonOrNull(answer);
  if (typeof read !== "object" || read === null) throw new Error("its answer is no JSON object");
  return read as Record<string, unknown>;
}

/** Throws where the answer is none that a hook may give. */
function readVerdict(answer: string, { call }: AskedOf, most_bytes: number): HookVerdict {
  const { action, message, body } = readObject(answer);
  if (action === "allow") return { action };
  if (action === "refuse") {
    const said = typeof message === "string" && message.trim() !== "" ? message.slice(0, LONGEST_MESSAGE) : REFUSED;
    return { action, message: said };
  }
  if (action !== "change") throw new Error("its answer has no action that is known");
  if (call.form !== null || (call.large_body !== null && call.large_body.form !== null))
    throw new Error("a form cannot be changed");
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Error("its changed body is no object");
  const text = JSON.stringify(body);
  if (Buffer.byteLength(text) > most_bytes) throw new Error(`its changed body has more than ${most_bytes} bytes`);
  return { action, text };
}
