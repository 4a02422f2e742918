import { afterAll, beforeAll, expect, test } from "bun:test";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** The official clients in a web page of another origin, which the operator has allowed or not (docs/rulings.md 195). */

let browser: TestBrowser;
let pages: ReturnType<typeof Bun.serve>;
let page_url: string;
let allowing: Gateway;
let closed: Gateway;

/** What the page knows: `ask` calls a gateway with both clients, and tells what they read. */
const SCRIPT = `
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
window.ask = async ({ url, apiKey, model }) => {
  const settings = { apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 };
  const messages = [{ role: "user", content: "hello there" }];
  try {
    const openai = new OpenAI({ ...settings, baseURL: url + "/v1" });
    const { data, response } = await openai.chat.completions.create({ model, messages }).withResponse();
    let streamed = "";
    for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true }))
      streamed += chunk.choices[0]?.delta.content ?? "";
    const anthropic = new Anthropic({ ...settings, baseURL: url });
    const { data: message, response: told } = await anthropic.messages.create({ model, messages, max_tokens: 50 }).withResponse();
    const told_live = await anthropic.messages.stream({ model, messages, max_tokens: 50 }).finalText();
    let responded = "";
    for await (const event of await openai.responses.create({ model, input: "hello there", stream: true }))
      if (event.type === "response.output_text.delta") responded += event.delta;
    const names = ["x-request-id", "x-camino-request-id", "x-ratelimit-limit-requests"];
    const refused = await openai.chat.completions.create({ model: "no/body", messages }).catch((error) => error);
    return {
      texts: [data.choices[0].message.content, streamed, message.content[0].text, told_live, responded],
      read: names.map((name) => response.headers.get(name) !== null),
      told: ["request-id", "anthropic-ratelimit-requests-limit"].map((name) => told.headers.get(name) !== null),
      refused: [refused.status, refused.code, refused.requestID !== undefined],
    };
  } catch (error) {
    return { failed: error.constructor.name };
  }
};`;

beforeAll(async () => {
  const entry = `${import.meta.dir}/other-origin.page.js`;
  const built = await Bun.build({ entrypoints: [entry], target: "browser", files: { [entry]: SCRIPT } });
  const script = await (built.outputs[0] ?? expect.unreachable()).text();
  const type = { headers: { "content-type": "text/html" } };
  pages = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.endsWith("/page.js")
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response(
            '<!doctype html><link rel="icon" href="data:,"><script src="/page.js" type="module"></script>',
            type,
          ),
  });
  page_url = `http://127.0.0.1:${pages.port}`;
  const models = { "sim/echo": { price: { input: 1, output: 1 } } };
  const config = { catalog: "none", vendors: { sim: {} }, models };
  browser = await launchBrowser();
  // One after the other: beside other files of a browser, a gateway takes the port that the last one had.
  allowing = await startGateway({ config: JSON.stringify({ ...config, cors: { origins: [page_url] } }) });
  closed = await startGateway({ config: JSON.stringify(config) });
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await Promise.all([allowing, closed].map((gateway) => gateway?.[Symbol.asyncDispose]()));
  await pages?.stop(true);
});

async function askFromPage(gateway: Gateway): Promise<unknown> {
  const expected = [/a request left the origin/, /blocked by CORS policy/, /Failed to load resource/];
  const { page } = await browser.visit(page_url, { alone: true, expected });
  await page.goto("/");
  await page.waitForFunction("typeof window.ask === 'function'");
  const { key } = await gateway.newKey();
  return await page.evaluate(`window.ask(${JSON.stringify({ url: gateway.url, apiKey: key, model: "sim/echo" })})`);
}

test("a page that the operator has allowed calls, streams, and reads headers and errors", async () => {
  const answer = await askFromPage(allowing);
  expect(answer).toEqual({
    texts: Array(5).fill("Simulated answer: hello there"),
    ...{ read: [true, true, true], told: [true, true], refused: [404, "model_not_found", true] },
  });
});

test("no page calls a gateway whose operator has said nothing", async () => {
  expect(await askFromPage(closed)).toEqual({ failed: "APIConnectionError" });
});
