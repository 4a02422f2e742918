import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a vendor answers, in pieces: after the first it may wait. */
export interface Stage {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
}

/** How an answer ends: whole; as an error; cut before anything came; or whole once the test says so. */
export const ENDINGS = ["answers", "fails", "is cut", "waits"] as const;
export type Ending = (typeof ENDINGS)[number];

/** A vendor that answers every request below `/NUMBER/ENDING` with the stage of that number. */
export class StagedVendor implements AsyncDisposable {
  readonly #stages: readonly Stage[];
  readonly #waiting = new Map<number, () => void>();
  readonly #asked = new Map<number, PromiseWithResolvers<void>>();
  readonly #server: Server = createServer((request, response) => {
    const [, number = "", ending = ""] = (request.url ?? "").split("/");
    request.resume();
    request.on("end", () => this.#answer(Number(number), decodeURIComponent(ending) as Ending, response));
  });

  constructor(stages: readonly Stage[]) {
    this.#stages = stages;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves once an answer waits. */
  async waits(number: number): Promise<void> {
    await this.#askedFor(number).promise;
  }

  /** Lets an answer that waits go on. */
  goOn(number: number): void {
    this.#waiting.get(number)?.();
    this.#waiting.delete(number);
    this.#asked.delete(number);
  }

  #askedFor(number: number): PromiseWithResolvers<void> {
    const known = this.#asked.get(number) ?? Promise.withResolvers<void>();
    this.#asked.set(number, known);
    return known;
  }

  #answer(number: number, ending: Ending, response: ServerResponse): void {
    const { type, headers = {}, pieces } = this.#stages[number] ?? { type: "text/plain", pieces: [] };
    if (ending === "is cut") return void response.destroy();
    if (ending === "fails") {
      response.writeHead(500, { "content-type": "application/json" });
      return void response.end('{"error":{"message":"The server had an error."}}');
    }
    const [first = "", ...rest] = pieces;
    const end = (): void => void response.end(Buffer.concat(rest.map((piece) => Buffer.from(piece))));
    response.writeHead(200, { "content-type": type, ...headers });
    if (ending === "answers") {
      response.write(first);
      return end();
    }
    // A whole answer waits before its first byte.
    if (rest.length > 0) response.write(first);
    else response.flushHeaders();
    this.#waiting.set(number, rest.length > 0 ? end : () => void response.end(first));
    this.#askedFor(number).resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
