import { PlainBooks, type PlainOp } from "./plain-books.ts";

/**
 * The baselines: the least that a gateway must do, as a developer would write it in an afternoon. It looks up the key,
 * parses the body, replaces the model's name, calls the vendor and reads the usage. Nothing is limited, and without books nothing is
 * stored or billed. With books (`billed`) each call is held before the vendor is called and charged before its last bytes, both on the disk.
 * Arguments: the vendor's base URL, the one key that is accepted, and for books the path of their file.
 */
const [vendor = "", key = "", path] = process.argv.slice(2);
const books = path === undefined ? null : new PlainBooks(path);
/** A hold that covers the bench's calls, and their price: 1 and 4 micro units a token, 15 for a character that is spoken. */
const HOLD_MICRO = 100_000;
const CHARACTER_MICRO = 15;
const accounts = new Map([[`Bearer ${key}`, { tokens: 0 }]]);
type Account = { tokens: number };
/** An embedding's has no `completion_tokens`. */
type Usage = { prompt_tokens: number; completion_tokens?: number; total_tokens: number };
type Completion = { model: string; usage: Usage };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const account = accounts.get(request.headers.get("authorization") ?? "");
    if (!account) return Response.json({ error: { message: "unknown key" } }, { status: 401 });
    const body = (await request.json()) as { model: string; stream?: boolean; input?: unknown };
    const { model } = body;
    body.model = model.slice(model.indexOf("/") + 1);
    const id = books === null ? "" : crypto.randomUUID();
    if (books !== null && !(await books.book({ op: "hold", id, model, hold_micro: HOLD_MICRO }))) {
      return Response.json({ error: { message: "the wallet is empty" } }, { status: 402 });
    }
    const { pathname } = new URL(request.url);
    const answer = await fetch(`${vendor}${pathname.slice("/v1".length)}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer vendor-key" },
      body: JSON.stringify(body),
    });
    if (pathname.endsWith("/speech")) {
      const sound = books === null ? answer.body : charged(answer, books, id, String(body.input).length);
      return new Response(sound, { headers: { "content-type": "audio/wav" } });
    }
    if (body.stream) {
      return new Response(relay(answer, model, account, id), { headers: { "content-type": "text/event-stream" } });
    }
    const completion = (await answer.json()) as Completion;
    completion.model = model;
    account.tokens += completion.usage.total_tokens;
    if (books !== null) await books.book(charge(id, completion.usage));
    return Response.json(completion);
  },
});

/** Sound as it comes; it ends once its charge is on the disk. */
async function* charged(answer: Response, to: PlainBooks, id: string, input: number): AsyncGenerator<Uint8Array> {
  for await (const bytes of answer.body ?? []) yield bytes;
  await to.book({ op: "settle", id, charge_micro: input * CHARACTER_MICRO, input, output: 0 });
}

function charge(id: string, { prompt_tokens: input, completion_tokens: output = 0 }: Usage): PlainOp {
  return { op: "settle", id, charge_micro: input + 4 * output, input, output };
}

async function* relay(answer: Response, model: string, account: Account, id: string): AsyncGenerator<string> {
  let usage: Usage | null = null;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of answer.body ?? []) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      if (event === "data: [DONE]") {
        if (books !== null && usage !== null) await books.book(charge(id, usage));
        yield `${event}\n\n`;
        continue;
      }
      const chunk = JSON.parse(event.slice("data: ".length));
      chunk.model = model;
      if (chunk.usage) {
        account.tokens += chunk.usage.total_tokens;
        usage = chunk.usage;
      }
      yield `data: ${JSON.stringify(chunk)}\n\n`;
    }
  }
}

console.log(`listening ${server.port}`);
