import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { configurationFor } from "./support/scene.ts";

/**
 * What arrives in the moment after a request was written is read as its answer, whatever it was meant for: HTTP/1.1 has nothing to tell them
 * apart. Where it is no answer, the request's own may still come: nobody else may be asked on that connection.
 */

const STRAY = "stray";
/** How long the true answer comes behind what is none. */
const LATE_MS = 60;

const answer = (type: string, body: string, status = 200): string =>
  `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const completion = (text: string): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });

/** Answers each request with its own text; in front of the answer to a text that names one, something else. */
class DisplacingVendor {
  readonly sockets: Socket[] = [];
  before = "";
  readonly #server: Server = createServer((socket) => {
    this.sockets.push(socket);
    socket.on("error", () => {});
    let gathered = "";
    // One after the other, as they were asked for.
    let answered = Promise.resolve();
    socket.on("data", (bytes) => {
      gathered += bytes.toString();
      const asked = /"content": ?"(one|two|three)"/.exec(gathered)?.[1];
      if (asked === undefined) return;
      gathered = "";
      answered = answered.then(() => this.#answer(socket, asked));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(socket: Socket, asked: string): Promise<void> {
    if (asked === "two") {
      socket.write(this.before);
      await Bun.sleep(LATE_MS);
    }
    if (!socket.destroyed) socket.write(answer("application/json", completion(asked)));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

const vendor = new DisplacingVendor();
let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  const base_url = await vendor.listen();
  const config = configurationFor(base_url, { models: { "acme/m": {} } });
  gateway = await startGateway({ config });
  key = await gateway.newKey({ credit: "10" });
}, 60_000);

afterAll(async () => {
  vendor.close();
  await gateway[Symbol.asyncDispose]();
});

async function ask(text: string, stream = false): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "acme/m", stream, messages: [{ role: "user", content: text }] }),
  });
  return { status: response.status, text: await response.text() };
}

test.each([
  ["an object that is no completion", answer("application/json", "{}"), false],
  ["what is no JSON", answer("application/json", STRAY), false],
  ["nothing", answer("application/json", ""), false],
  ["a page of a proxy", answer("text/html", "<html>Bad gateway</html>", 502), false],
  ["the timeout of an idle connection", answer("application/json", '{"error":"timeout"}', 408), false],
  ["an empty stream", answer("text/event-stream", ""), true],
  ["a stream of something else", answer("text/event-stream", "data: stray\n\n"), true],
  ["an error within a stream", answer("text/event-stream", 'data: {"error":{"message":"stray"}}\n\n'), true],
])(
  "behind %s comes an answer that nobody else gets",
  async (_, before, stream) => {
    vendor.before = before;
    expect((await ask("one")).status).toBe(200);
    const two = await ask("two", stream);
    expect(two.status === 200 && !two.text.includes('"error"')).toBe(false);
    const three = await ask("three");
    expect(three.status).toBe(200);
    expect(three.text).toContain('"three"');
  },
  60_000,
);
