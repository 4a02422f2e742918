import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MOST_LIST_CHARACTERS, VendorOffers } from "../../../contract/offers.ts";
import { SIMULATED_MODELS } from "../../../simulator/models.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { ConsoleCaller } from "./support/console.ts";

/** What vendors offer by their own lists, as administrators see it. */

const VENDOR_KEY = "sk-vendor-canary-0123456789";
const PROTOCOLS = ["chat-completions", "responses", "messages", "gemini", "systemone"] as const;

let simulator: Simulator;
/** A vendor whose `/models` answers whatever the path asks for. */
let other: ReturnType<typeof Bun.serve>;
let elsewhere: ReturnType<typeof Bun.serve>;
let gateway: Gateway;
let admin: ConsoleCaller;
const called: string[] = [];
let called_elsewhere = 0;

const ANSWERS: Record<string, (request: Request, url: URL) => Response> = {
  page: () => new Response("<html><title>Welcome</title></html>", { headers: { "content-type": "text/html" } }),
  none: () => Response.json({ error: { message: "Nothing here." } }, { status: 404 }),
  down: () => Response.json({ error: { message: `The key ${VENDOR_KEY} is fine, we are not.` } }, { status: 500 }),
  moved: () => new Response(null, { status: 302, headers: { location: `http://127.0.0.1:${elsewhere.port}/models` } }),
  endless: () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })),
  circular: () => Response.json({ data: [{ id: "again" }], has_more: true, last_id: "again" }),
  // Pages without end, and a next page at another address, which nobody asked for.
  growing: (_request, url) => {
    const page = Number(url.searchParams.get("after_id") ?? "0") + 1;
    const next = `http://127.0.0.1:${elsewhere.port}/models`;
    return Response.json({ data: [{ id: `m${page}` }], has_more: true, last_id: String(page), next, links: { next } });
  },
};

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
  elsewhere = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: () => {
      called_elsewhere += 1;
      return Response.json({ data: [{ id: "stray" }] });
    },
  });
  other = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: (request) => {
      const url = new URL(request.url);
      called.push(`${url.pathname}${url.search}`);
      return ANSWERS[url.pathname.split("/")[1] ?? ""]?.(request, url) ?? new Response(null, { status: 404 });
    },
  });
  const reached = { base_url: simulator.base_url, api_key: VENDOR_KEY };
  const at = (name: string, protocol: string | string[] = "chat-completions") => ({
    ...{ protocol, base_url: `http://127.0.0.1:${other.port}/${name}/v1`, api_key: VENDOR_KEY },
  });
  const config = {
    catalog: "none",
    vendors: {
      ...Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, { ...reached, protocol }])),
      refusing: { ...reached, api_key: "sk-wrong-canary-9876543210", protocol: "chat-completions" },
      open: { base_url: simulator.base_url, protocol: "chat-completions" },
      away: { protocol: "chat-completions", base_url: "http://127.0.0.1:1/v1" },
      ...Object.fromEntries(
        Object.keys(ANSWERS).map((name) => [name, at(name, name === "page" ? "chat-completions" : "messages")]),
      ),
      second: {
        protocol: ["chat-completions", "messages"],
        base_url: { "chat-completions": `http://127.0.0.1:${other.port}/none/v1`, messages: simulator.base_url },
        api_key: VENDOR_KEY,
      },
      cloud: {
        protocol: "bedrock-converse",
        base_url: simulator.base_url,
        aws: { access_key_id: "AKIDEXAMPLE", secret_access_key: "secret-canary-0123", region: "us-east-1" },
      },
    },
    models: {
      "chat-completions/echo": { price: { input: 1, output: 4 } },
      "ours/parrot": { price: { input: 1, output: 4 }, routes: [{ vendor: "messages", upstream_model: "echo" }] },
    },
  };
  gateway = await startGateway({ config: JSON.stringify(config) });
  admin = await ConsoleCaller.of(gateway);
}, 30_000);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
  await other.stop(true);
  await elsewhere.stop(true);
});

const offersOf = (vendor: string) => admin.read(VendorOffers, `GET /vendors/${vendor}/models`);
const refusalOf = async (vendor: string) => {
  const answer = await admin.send(`GET /vendors/${vendor}/models`);
  const text = await answer.text();
  expect(text).not.toContain("canary");
  return { status: answer.status, message: (JSON.parse(text) as { error: { message: string } }).error.message };
};

describe("the models of a vendor's own list", () => {
  test.each(PROTOCOLS)("are found at a vendor that speaks %s, on all pages", async (protocol) => {
    const { data, url, is_cut, left_out } = await offersOf(protocol);
    expect(data.map(({ upstream_model }) => upstream_model)).toEqual(SIMULATED_MODELS.map(({ id }) => id));
    expect({ url, is_cut, left_out }).toEqual({ url: `${simulator.base_url}/models`, is_cut: false, left_out: [] });
    const last = simulator.log.requests.at(-1);
    expect(last?.path).toEndWith("/models");
  });

  test("are marked where the configuration offers them, under whatever id", async () => {
    const offeredBy = async (vendor: string) =>
      (await offersOf(vendor)).data
        .filter(({ offered_as }) => offered_as.length > 0)
        .map((offer) => [offer.model, offer.offered_as]);
    expect(await offeredBy("chat-completions")).toEqual([["chat-completions/echo", ["chat-completions/echo"]]]);
    expect(await offeredBy("messages")).toEqual([["messages/echo", ["ours/parrot"]]]);
  });

  test("are asked for at the vendor's next address where the first has no list", async () => {
    expect((await offersOf("second")).url).toBe(`${simulator.base_url}/models`);
  });

  test("end where the vendor names one cursor twice, and after a number of pages", async () => {
    expect((await offersOf("circular")).data.map(({ model }) => model)).toEqual(["circular/again"]);
    called.length = 0;
    const { data, is_cut } = await offersOf("growing");
    expect([data.length, is_cut, called.length]).toEqual([20, true, 20]);
    expect(called_elsewhere).toBe(0);
  });

  test.each([
    ["refusing", /^refusing refuses the credential \(status 401\): Incorrect API key provided\. Check/],
    ["open", /^open asks for a credential \(status 401\)/],
    ["away", /^away cannot be reached at http:\/\/127\.0\.0\.1:1\/v1/],
    ["page", /^What page sends at .*\/page\/v1\/models is no list of models\. Check the vendor's address/],
    ["none", /^none has no list of models at .* \(status 404\): name its models yourself\.$/],
    ["down", /^down does not send its list of models \(status 500\): The key .* is fine, we are not\.$/],
    ["moved", /^moved answers with a redirect \(status 302\), which is not followed/],
    ["endless", /^The list of models of endless is not read: .* larger than 8388608 bytes/],
    ["cloud", /^cloud publishes no list of models/],
  ])("are refused in plain words: %s", async (vendor, message) => {
    const refusal = await refusalOf(vendor);
    expect(refusal.status).toBe(502);
    expect(refusal.message).toMatch(message);
    expect(called_elsewhere).toBe(0);
  });

  test("need a vendor that is enabled", async () => {
    expect(await refusalOf("nobody")).toMatchObject({ status: 404 });
    const { status, message } = await refusalOf("mistral");
    expect([status, message]).toEqual([
      400,
      "Mistral AI is not enabled: it can be asked for its models once it has a credential and an address.",
    ]);
  });
});

describe("proposals from a published list", () => {
  const entry = { litellm_provider: "openai", mode: "chat", input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };
  const text = JSON.stringify({ echo: { ...entry, max_input_tokens: 200_000 }, elsewhere: entry });
  const send = (list: object, vendor = "messages") => admin.send(`POST /vendors/${vendor}/models`, { list });

  test("are the first for the models that the list has", async () => {
    const list = { name: "prices.json", as_of: "2026-11-20", text };
    const { data, found_in_list } = await admin.read(VendorOffers, "POST /vendors/messages/models", { list });
    expect(found_in_list).toBe(1);
    const [echo, next] = data;
    expect(echo?.proposals[0]).toEqual({
      source: { kind: "list", name: "prices.json", as_of: "2026-11-20" },
      element: {
        ...{
          display_name: "Simulated echo",
          created: expect.any(String),
          context_length: 200_000,
          input_modalities: ["text"],
        },
        capabilities: { tools: false, json: false },
        price: { input: "3.00", output: "15.00" },
      },
    });
    expect(next?.proposals[0]?.source.kind).toBe("none");
  });

  test.each([
    [{ name: "a", text: "no list" }, /not JSON/],
    [{ name: "a", text: "{}" }, /no list of models that Camino knows/],
    [{ name: "prices", text, vendor: "mistral" }, /The list prices has no vendor "mistral". It has openai\./],
    [{ name: "a", text: " ".repeat(MOST_LIST_CHARACTERS + 1) }, /at most 900000 characters/],
    [{ text }, /list\.name/],
    [{ name: "a", text, as_of: "lately" }, /as_of/],
  ])("are refused for what is no list: %#", async (list, message) => {
    const answer = await send(list);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: { message: string } }).error.message).toMatch(message);
  });
});
