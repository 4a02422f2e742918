import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The usage that a vendor reports. */
export interface Used {
  readonly input: number;
  readonly output: number;
}

/** A call that has arrived: with which credential, and how to answer it. */
export interface HeldCall {
  readonly credential: string;
  answer(used: Used): void;
}

/** A vendor of chat completions that answers each call when a test says so. A call is named by its last message. */
export class HeldVendor implements AsyncDisposable {
  readonly #calls = new Map<string, PromiseWithResolvers<HeldCall>>();
  readonly #server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { messages } = JSON.parse(Buffer.concat(pieces).toString()) as { messages: { content: string }[] };
      const { authorization = "" } = request.headers;
      const credential = authorization.replace("Bearer ", "");
      const name = messages.at(-1)?.content ?? "";
      this.#at(name).resolve({ credential, answer: (used) => write(response, used) });
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the call has arrived. */
  arrived(name: string): Promise<HeldCall> {
    return this.#at(name).promise;
  }

  /** Waits anew for a call of a name that was used before. */
  forget(name: string): void {
    this.#calls.delete(name);
  }

  #at(name: string): PromiseWithResolvers<HeldCall> {
    const known = this.#calls.get(name) ?? Promise.withResolvers<HeldCall>();
    this.#calls.set(name, known);
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function write(response: ServerResponse, { input, output }: Used): void {
  const message = { role: "assistant", content: "word ".repeat(output) };
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m", usage },
      choices: [{ index: 0, message, finish_reason: "stop" }],
    }),
  );
}
