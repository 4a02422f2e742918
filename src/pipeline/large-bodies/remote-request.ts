import type { RemoteDecision } from "../../core/answer/decision.ts";
import type { RemoteExchange, RemoteStream } from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { BodyWorker } from "./body-worker.ts";
import type { BodyCall, BodyCalls, ExchangeFacts, StreamPiece } from "./messages.ts";
import { ownedBytes } from "./owned-bytes.ts";
import { postedError } from "./posted-error.ts";

type Ask = <Call extends BodyCall>(
  call: Call,
  asks: BodyCalls[Call]["asks"],
  moved?: ArrayBuffer[],
) => Promise<BodyCalls[Call]["gives"]>;

/** A body that a worker holds. `released` is called once. */
export function heldBody(worker: BodyWorker, body_id: number, released: () => void): RemoteDecision {
  const ask: Ask = (call, asks, moved) => worker.ask(body_id, call, asks, moved);
  let is_released = false;
  return {
    prepare: async (target, granted_cap) => remoteExchange(ask, await ask("prepare", { target, granted_cap })),
    prepareCount: (target) => ask("prepareCount", { target }),
    encodeDecision: (target) => ask("encodeDecision", { target }),
    encodeCall: (target, request) => ask("encodeCall", { target, request }),
    collectInput: () => ask("collectInput", null),
    release() {
      if (is_released) return;
      is_released = true;
      worker.release(body_id);
      released();
    },
  };
}

function remoteExchange(ask: Ask, { charged = [], tokens_header, ...facts }: ExchangeFacts): RemoteExchange {
  return {
    ...facts,
    charged,
    ...(tokens_header !== undefined && { tokens_header }),
    async readWhole(body, told_tokens) {
      const sent = typeof body === "string" ? body : ownedBytes(body);
      const moved = typeof sent === "string" ? [] : [sent.buffer];
      const whole = await ask("readWhole", { body: sent, told_tokens }, moved);
      return { ...whole, bodyWith: (billed, cost) => ask("bodyWith", { billed, cost }) };
    },
    openStream: () => new StreamInWorker(ask),
    readError: (status, body) => ask("readError", { status, body }),
  };
}

/** A stream that a body worker reads. The worker takes one step after the other, in the order in which they are asked. */
class StreamInWorker implements RemoteStream {
  usage: RemoteStream["usage"] = null;
  rejected_usage: unknown = null;
  output_bytes = 0;
  output_sample = "";
  output_media: RemoteStream["output_media"];
  has_content = false;
  failure: RemoteStream["failure"] = null;
  complete = false;
  terminated = false;
  ended_early = false;
  readonly #ask: Ask;
  readonly #opened: Promise<unknown>;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#opened = ask("openStream", null);
    // The caller that takes the first step gets the failure; until then it must not count as unhandled.
    this.#opened.catch(() => {});
  }

  async push(chunk: Uint8Array): Promise<Uint8Array> {
    // A part of what the socket has read: handing its buffer over would take the rest away.
    const copy = new Uint8Array(chunk);
    return await this.#take(this.#ask("push", copy, [copy.buffer]));
  }

  end(): Promise<Uint8Array> {
    return this.#take(this.#ask("end", null));
  }

  finish(billed?: Usage, cost?: string): Promise<Uint8Array> {
    return this.#take(this.#ask("finish", { billed, cost }));
  }

  cut(billed: Usage, cost?: string): Promise<Uint8Array> {
    return this.#take(this.#ask("cut", { billed, cost }));
  }

  fail(error: GatewayError, request_id: string): Promise<Uint8Array> {
    return this.#take(this.#ask("fail", { error: postedError(error), request_id }));
  }

  async #take(step: Promise<StreamPiece>): Promise<Uint8Array> {
    // Before `step` is awaited, so that a stream that could not be opened says why.
    const [{ bytes, report }] = await Promise.all([step, this.#opened]);
    const { output_sample = this.output_sample, ...rest } = report;
    Object.assign(this, rest);
    this.output_sample = output_sample;
    return bytes;
  }
}
