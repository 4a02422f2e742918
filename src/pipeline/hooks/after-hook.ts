import type { HookSettings } from "../../core/catalog/hook-settings.ts";
import type { Micro } from "../../core/money/money.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { quietly } from "../../observe/quietly.ts";
import type { HookDeps } from "./before-hook.ts";
import { HookCircuit } from "./hook-circuit.ts";
import { postHook } from "./post-hook.ts";

/** An answer as its client got it, with what it cost. */
export interface ToldAnswer {
  readonly call: { readonly request_id: string; readonly endpoint: string; readonly key: KeyRecord };
  readonly model: string;
  readonly usage: Usage;
  readonly charge_micro: Micro | null;
  readonly content_type: string;
  /** Null where it was too large to be kept, or is no text. */
  readonly body: Uint8Array | null;
}

/** How much waits to be told at most, and how many are told at the same time. */
const MOST_BYTES = 32 * 2 ** 20;
const MOST_WAITING = 1000;
const SIDE_BY_SIDE = 16;
/** How much of its answer is read. */
const MOST_ANSWER_BYTES = 64 * 1024;

/** Tells an operator's own server of answers once they are charged. Nobody waits for it, and what it does not take is not told again (docs/rulings.md 232). */
export class AfterHook {
  readonly #settings: HookSettings;
  readonly #deps: HookDeps;
  readonly #circuit: HookCircuit;
  readonly #waiting: string[] = [];
  readonly #running = new Set<Promise<void>>();
  #bytes = 0;

  constructor(settings: HookSettings, deps: HookDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#circuit = new HookCircuit(deps.monotonic_ms);
  }

  /** Never throws. */
  tell(answer: ToldAnswer): void {
    quietly(this.#deps.log, () => {
      const text = textOf(answer);
      const has_room = this.#waiting.length < MOST_WAITING && this.#bytes + text.length <= MOST_BYTES;
      if (!has_room) return this.#count("dropped");
      this.#bytes += text.length;
      this.#waiting.push(text);
      this.#goOn();
    });
  }

  /** Waits for what is on its way, for at most `patience_ms`. */
  async close(patience_ms: number): Promise<void> {
    const end_ms = this.#deps.monotonic_ms() + patience_ms;
    while (this.#running.size > 0 && this.#deps.monotonic_ms() < end_ms)
      await Promise.race([...this.#running, Bun.sleep(end_ms - this.#deps.monotonic_ms())]);
    for (const _ of this.#waiting.splice(0)) this.#count("dropped");
  }

  #goOn(): void {
    while (this.#running.size < SIDE_BY_SIDE) {
      const text = this.#waiting.shift();
      if (text === undefined) return;
      const sending = this.#send(text).finally(() => {
        this.#bytes -= text.length;
        this.#running.delete(sending);
        this.#goOn();
      });
      this.#running.add(sending);
    }
  }

  /** Never rejects. */
  async #send(text: string): Promise<void> {
    const { upstream, log, metrics, monotonic_ms } = this.#deps;
    if (this.#circuit.waitMs() > 0) return this.#count("rests");
    const began_ms = monotonic_ms();
    try {
      await postHook(upstream, this.#settings, text, MOST_ANSWER_BYTES);
      this.#circuit.succeeded();
      this.#count("told");
    } catch (thrown) {
      this.#circuit.failed();
      this.#count("failed");
      const why = thrown instanceof Error ? thrown.message : "something that is no error was thrown";
      quietly(log, () => log.warn({ why }, "the hook after an answer failed"));
    } finally {
      metrics.hook_time.add((monotonic_ms() - began_ms) / 1000, "after");
    }
  }

  #count(result: string): void {
    this.#deps.metrics.hook_calls.add(1, "after", result);
  }
}

const TEXTUAL = /json|^text\//;

function textOf({ call, model, usage, charge_micro, content_type, body }: ToldAnswer): string {
  const { key } = call;
  const answer = body !== null && TEXTUAL.test(content_type) ? new TextDecoder().decode(body) : null;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens } = usage;
  return JSON.stringify({
    ...{ request_id: call.request_id, account: key.account_id, key: key.id, project: key.project?.id ?? null },
    ...{ endpoint: call.endpoint, model },
    usage: { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens },
    charge_micro: charge_micro === null ? null : Number(charge_micro),
    ...{ content_type, answer },
  });
}
