/**
 * The baseline: the least that a gateway must do, as a developer would write it in an afternoon. It looks up the key,
 * parses the body, replaces the model's name, calls the vendor and reads the usage. Nothing is stored, limited or billed.
 * Arguments: the vendor's base URL and the one key that is accepted.
 */
const [vendor = "", key = ""] = process.argv.slice(2);
const accounts = new Map([[`Bearer ${key}`, { tokens: 0 }]]);
type Account = { tokens: number };
type Completion = { model: string; usage: { total_tokens: number } };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const account = accounts.get(request.headers.get("authorization") ?? "");
    if (!account) return Response.json({ error: { message: "unknown key" } }, { status: 401 });
    const body = (await request.json()) as { model: string; stream?: boolean };
    const { model } = body;
    body.model = model.slice(model.indexOf("/") + 1);
    const answer = await fetch(`${vendor}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer vendor-key" },
      body: JSON.stringify(body),
    });
    if (body.stream) {
      return new Response(relay(answer, model, account), { headers: { "content-type": "text/event-stream" } });
    }
    const completion = (await answer.json()) as Completion;
    completion.model = model;
    account.tokens += completion.usage.total_tokens;
    return Response.json(completion);
  },
});

async function* relay(answer: Response, model: string, account: Account): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of answer.body ?? []) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      if (event === "data: [DONE]") {
        yield `${event}\n\n`;
        continue;
      }
      const chunk = JSON.parse(event.slice("data: ".length));
      chunk.model = model;
      if (chunk.usage) account.tokens += chunk.usage.total_tokens;
      yield `data: ${JSON.stringify(chunk)}\n\n`;
    }
  }
}

console.log(`listening ${server.port}`);
