import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Caller, type Json } from "../../support/calls.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** docs/rulings.md 189: documents in what the user says on messages, by the operator's word. */

const MODELS = {
  "acme/reads": { upstream_model: "everything@like=any", input_modalities: ["text", "image", "pdf"] },
  "acme/plain": { upstream_model: "everything@like=any" },
  "chatty/echo": { upstream_model: "everything@like=any" },
};

interface Scene {
  readonly simulated: SimulatedGateway;
  readonly caller: Caller;
}

async function start(sections: object): Promise<Scene> {
  const simulated = await startSimulatedGateway({ models: MODELS, sections: { ...sections } });
  return { simulated, caller: new Caller(simulated.gateway, (await simulated.gateway.newKey({})).key) };
}

let strict: Scene;
let open: Scene;
beforeAll(async () => {
  [strict, open] = await Promise.all([start({}), start({ messages: { documents: "allow" } })]);
});
afterAll(async () => {
  for (const { simulated } of [strict, open]) await simulated[Symbol.asyncDispose]();
});

const pdf = (data: string) => ({ type: "document", source: { type: "base64", media_type: "application/pdf", data } });
const words = {
  type: "document",
  title: "notes.txt",
  source: { type: "text", media_type: "text/plain", data: "Words" },
};
const body = (model: string, document: object) => ({
  ...{ model, max_tokens: 50 },
  messages: [{ role: "user", content: [{ type: "text", text: "Read:" }, document] }],
});
/** The second is read by another thread. */
const FILES = ["JVBERi0xLjQ=", "JVBERi0x".repeat(100_000)];

describe.each(Object.keys(MODELS))("a document of the user for %s", (model) => {
  test.each([...FILES.map(pdf), words])(
    "is the specification's 400 by default, and free, whatever its size",
    async (document) => {
      const before = strict.simulated.simulator.log.total;
      const { status, error } = await strict.caller.post("/v1/messages", body(model, document));
      expect({ status, type: error.type }).toEqual({ status: 400, type: "invalid_request_error" });
      expect(error.message).toStartWith("'messages[0].content[1]' is a document block");
      const { max_tokens: _, ...counted } = body(model, document);
      expect((await strict.caller.post("/v1/messages/count_tokens", counted)).status).toBe(400);
      expect(strict.simulated.simulator.log.total).toBe(before);
    },
  );

  test.each(FILES)("reaches it where the operator allows documents", async (data) => {
    const answer = await open.caller.post("/v1/messages", body(model, pdf(data)));
    expect({ status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({ status: 200 });
    const seen = JSON.stringify(open.simulated.simulator.log.last?.body as Json);
    const is_left_out = model === "acme/plain";
    expect(seen.includes(data)).toBe(!is_left_out);
    expect(answer.headers.get("x-camino-ignored")).toBe(is_left_out ? "messages.document" : null);
  });

  test("that is a text reaches it as its words, and is counted", async () => {
    const { status, headers } = await open.caller.post("/v1/messages", body(model, words));
    expect([status, headers.get("x-camino-ignored")]).toEqual([200, null]);
    expect(JSON.stringify(open.simulated.simulator.log.last?.body)).toContain("Words");
    const { max_tokens: _, ...counted } = body(model, words);
    const count = await open.caller.post("/v1/messages/count_tokens", counted);
    expect([count.status, Number(count.json.input_tokens) > 0]).toEqual([200, true]);
  });
});
