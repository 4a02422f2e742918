import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What a scripted vendor answers: the bytes of a body, as they are. */
export interface Script {
  readonly body: string;
  readonly type?: string;
}

export const jsonBody = (value: unknown): Script => ({ body: JSON.stringify(value), type: "application/json" });

/** Frames without names: texts as they are, all else as JSON. */
export const dataFrames = (...frames: readonly unknown[]): Script => ({
  body: frames.map((frame) => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`).join(""),
});

/** Frames with the names of their events. */
export const namedFrames = (...events: readonly { readonly type: string }[]): Script => ({
  body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
});

/** A vendor that answers every request under `/NAME/` with the script of that name, and keeps what it was asked. */
export class ScriptedVendor implements AsyncDisposable {
  readonly scripts = new Map<string, Script>();
  readonly asked: { readonly name: string; readonly body: Record<string, unknown> }[] = [];
  readonly #server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const name = request.url?.split("/")[1] ?? "";
      this.asked.push({ name, body: JSON.parse(Buffer.concat(pieces).toString()) });
      const { body, type = "text/event-stream" } = this.scripts.get(name) ?? { body: "" };
      response.writeHead(200, { "content-type": type });
      response.end(body);
    });
  });

  /** Starts the vendor. Resolves with its address, to which the names are appended. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
