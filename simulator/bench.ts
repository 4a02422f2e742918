import { bench } from "./contents/index.ts";
import { parseModelName } from "./model-name.ts";
import type { VendorProtocol } from "./protocols/protocol.ts";
import type { Json } from "./protocols/read.ts";
import { SIMULATED_HEADERS, turn } from "./reply.ts";

/**
 * The bench model's answers, made once and then only written, so that a bench does not measure the simulator. Of the
 * request, only its stream options change the answer.
 */
export class BenchAnswers {
  readonly #streams = new Map<string, readonly Uint8Array[]>();
  readonly #bodies = new Map<VendorProtocol, Uint8Array>();

  answer(protocol: VendorProtocol, body: Json, path: string): Response {
    if (protocol.wantsStream(body, path))
      return new Response(written(this.#stream(protocol, body)), streamHeaders(protocol));
    return new Response(this.#body(protocol, body), JSON_HEADERS);
  }

  #stream(protocol: VendorProtocol, body: Json): readonly Uint8Array[] {
    const key = `${protocol.protocol} ${JSON.stringify(body.stream_options)}`;
    let chunks = this.#streams.get(key);
    if (chunks === undefined) {
      const { ask, performance } = rehearse(protocol, body);
      chunks = Array.from(protocol.frames(ask, performance), ({ bytes }) => Buffer.from(bytes));
      this.#streams.set(key, chunks);
    }
    return chunks;
  }

  #body(protocol: VendorProtocol, body: Json): Uint8Array {
    let whole = this.#bodies.get(protocol);
    if (whole === undefined) {
      const { ask, performance } = rehearse(protocol, body);
      whole = Buffer.from(JSON.stringify(protocol.whole(ask, performance)));
      this.#bodies.set(protocol, whole);
    }
    return whole;
  }
}

const JSON_HEADERS = { headers: { "content-type": "application/json", ...SIMULATED_HEADERS } };

function streamHeaders(protocol: VendorProtocol): ResponseInit {
  return { headers: { "content-type": protocol.stream_content_type, ...SIMULATED_HEADERS } };
}

/** Makes the answer to a request of which only the stream options are kept. */
function rehearse(protocol: VendorProtocol, body: Json) {
  const headers = new Headers({ "anthropic-version": "2023-06-01" });
  const asked = protocol.readAsk(parseModelName("bench"), body, headers, "");
  const ask = { ...asked, serial: "bench", prompt: [], images: [], stop: [], output_cap: null, choices: 1, body: {} };
  return { ask, performance: bench(ask) };
}

async function* written(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield chunk;
    await turn();
  }
}
