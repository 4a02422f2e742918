import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { VendorTimeouts } from "../../src/core/catalog/catalog.ts";
import { Upstream } from "../../src/upstream/send.ts";
import { UpstreamError } from "../../src/wire/client/upstream-error.ts";

/**
 * A vendor over real sockets that answers each request with the request's own number, and that sends bytes which nobody
 * asked for: beside its answers, later, whole, in part, and in any pieces.
 */

const TIMEOUTS: VendorTimeouts = { connect_ms: 5000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 9000 };

/** A source of numbers from 0 to below 1. */
export type Random = () => number;

export function answerOf(text: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

/** What nobody asked for. `STRAY` is in every text of it. */
const STRAYS: readonly string[] = [
  answerOf("STRAY"),
  answerOf("STRAY") + answerOf("STRAY"),
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nST",
  "HTTP/1.1 200 OK\r\nX-STRAY: ",
  "HTTP/1.1 103 STRAY\r\n\r\n",
  "HTTP/1.1 204 STRAY\r\n\r\n",
  "STRAY STRAY",
  "\r\n",
];

/** How an answer is sent; all of them say the same. */
const FORMS: readonly ((text: string) => string)[] = [
  answerOf,
  (text) => `HTTP/1.1 100 Continue\r\n\r\n${answerOf(text)}`,
  (text) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

export class StrayVendor {
  readonly sockets: Socket[] = [];
  /** Every answer that a caller got, with the request's own text. */
  readonly got: { readonly own: string; readonly answer: string }[] = [];
  failed = 0;
  readonly #random: Random;
  readonly #server: Server;
  readonly #upstream = new Upstream();
  #url = "";

  constructor(random: Random, identity: { readonly key: Buffer; readonly cert: Buffer } | null) {
    this.#random = random;
    const serve = (socket: Socket) => this.#serve(socket);
    this.#server = identity === null ? createServer(serve) : createTlsServer(identity, serve);
    this.#is_secure = identity !== null;
  }

  readonly #is_secure: boolean;

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, () => resolve()));
    const { port } = this.#server.address() as AddressInfo;
    this.#url = this.#is_secure ? `https://localhost:${port}/` : `http://127.0.0.1:${port}/`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /** Sends a request with this text, which its answer has to repeat. The request is written before this returns. */
  async ask(own: string): Promise<void> {
    const call = this.#upstream.start({ url: this.#url, headers: {}, body: own, timeouts: TIMEOUTS });
    try {
      const whole = await (await call.reply).readWhole();
      this.got.push({ own, answer: typeof whole === "string" ? whole : Buffer.from(whole).toString() });
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown;
      this.failed += 1;
    }
  }

  /** Sends something that nobody asked for on every connection, at once. */
  spill(): void {
    for (const socket of this.sockets)
      if (!socket.destroyed && socket.writable) socket.write(pick(this.#random, STRAYS));
  }

  #serve(socket: Socket): void {
    this.sockets.push(socket);
    let begun = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      begun += bytes.toString("latin1");
      const [, length, own] = /content-length: (\d+)\r\n\r\n(.*)$/s.exec(begun) ?? [];
      if (own === undefined || own.length < Number(length)) return;
      begun = "";
      void this.#answer(socket, own);
    });
  }

  async #answer(socket: Socket, own: string): Promise<void> {
    const random = this.#random;
    const stray = random() < 0.3 ? pick(random, STRAYS) : "";
    const answer = pick(random, FORMS)(own);
    if (random() < 0.5) return void socket.write(answer + stray);
    const at = Math.floor(random() * answer.length);
    socket.write(answer.slice(0, at));
    await Bun.sleep(1);
    socket.write(answer.slice(at) + stray);
  }
}

/**
 * Many callers, one after the other, while the vendor spills between them: often in the very moment in which the next
 * request is written, when the event loop has not handed the bytes on yet. Returns the answers that were not the
 * caller's own.
 */
export async function strayRun(vendor: StrayVendor, random: Random, rounds: number): Promise<string[]> {
  await vendor.listen();
  for (let round = 0; round < rounds; round++) {
    const asked = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) =>
      vendor.ask(`own-${round}-${index}`),
    );
    await Promise.all(asked);
    const chance = random();
    if (chance < 0.6) vendor.spill();
    if (chance > 0.4 && chance < 0.6) await Bun.sleep(random() * 2);
  }
  vendor.close();
  return vendor.got.filter(({ own, answer }) => own !== answer).map(({ own, answer }) => `${own}: ${answer}`);
}
