import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer that a script is writing. */
export interface ScriptedReply {
  /** The request's body. */
  readonly asked: string;
  /** Writes bytes, as a chunk of their own. */
  send(bytes: string | Uint8Array): Promise<void>;
  /** Breaks the connection. */
  breakOff(): void;
  /** Resolves when the gateway has closed the connection. */
  readonly left: Promise<void>;
}

/** Answers one request; the answer ends when it resolves. */
export type VendorScript = (reply: ScriptedReply) => Promise<void>;

/** A vendor whose every answer is written by a script, by the first step of its path. */
export class ScriptedVendor implements AsyncDisposable {
  readonly #scripts = new Map<string, VendorScript>();
  readonly #server = createServer((request, response) => {
    const [, lane = ""] = (request.url ?? "").split("/");
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => this.#answer(lane, Buffer.concat(parts).toString(), response));
  });

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  /** The base URL under which this script answers. */
  answering(lane: string, script: VendorScript): string {
    this.#scripts.set(lane, script);
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${lane}`;
  }

  #answer(lane: string, asked: string, response: ServerResponse): void {
    const script = this.#scripts.get(lane);
    if (script === undefined) return void response.writeHead(599).end();
    const left = new Promise<void>((resolve) => response.on("close", () => resolve()));
    response.on("error", () => {});
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    const written = script({
      asked,
      left,
      send: (bytes) => new Promise((resolve) => response.write(bytes, () => resolve())),
      breakOff: () => void response.destroy(),
    });
    void written.then(() => response.end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Events without names, as chat completions has them. */
export function dataFrames(...events: readonly (object | string)[]): string {
  return events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
}

/** Events with their types as names. */
export function namedFrames(...events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
