import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type Gateway, startGateway, type TestKey } from "../../../support/gateway.ts";
import { endedReceipt, type Receipt } from "../../../support/receipts.ts";
import { type Script, ScriptedVendor } from "../../../support/scripted-vendor.ts";
import { configurationFor } from "../../failures/support/scene.ts";

/** The official clients in front of a gateway whose vendors answer by script. */

export const STYLES = ["chat", "messages", "responses"] as const;
export type Style = (typeof STYLES)[number];

/** What a client made of an answer: how it ended, its text, and its calls as `NAME ARGUMENTS`; or the client's error. */
export interface Read {
  readonly end: string | null;
  readonly text: string;
  readonly calls: readonly string[];
}

const TOOLS = ["f", "g"];
const ASKED = [{ role: "user" as const, content: "hi" }];
const PARAMETERS = { type: "object" as const };

export class ScriptedClients implements AsyncDisposable {
  readonly vendor: ScriptedVendor;
  readonly #gateway: Gateway;
  readonly #key: TestKey;
  readonly #openai: OpenAI;
  readonly #anthropic: Anthropic;

  private constructor(vendor: ScriptedVendor, gateway: Gateway, key: TestKey) {
    this.vendor = vendor;
    this.#gateway = gateway;
    this.#key = key;
    this.#openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key, maxRetries: 0 });
    this.#anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key.key, maxRetries: 0 });
  }

  /** `vendors`: names of vendors, which their scripts have too, and their protocols. Each has the model `NAME/m`. */
  static async start(
    vendors: Readonly<Record<string, string>>,
    fallbacks: Readonly<Record<string, string>> = {},
  ): Promise<ScriptedClients> {
    const vendor = new ScriptedVendor();
    const address = await vendor.listen();
    const names = Object.keys(vendors);
    const config = configurationFor(address, {
      models: Object.fromEntries(
        names.map((name) => [
          `${name}/m`,
          { max_completion_tokens: 8000, ...(fallbacks[name] && { fallbacks: [`${fallbacks[name]}/m`] }) },
        ]),
      ),
      vendors: Object.fromEntries(
        names.map((name) => [name, { protocol: vendors[name], base_url: `${address}/${name}/v1` }]),
      ),
    });
    const gateway = await startGateway({ config });
    return new ScriptedClients(vendor, gateway, await gateway.newKey({ credit: "100" }));
  }

  /** One answer of a vendor, read by the official client of a style. */
  async read(style: Style, name: string, script: Script, streamed = true): Promise<Read | { readonly error: string }> {
    this.vendor.scripts.set(name, script);
    try {
      return await this.#read(style, `${name}/m`, streamed);
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      return { error: thrown.message };
    }
  }

  /** The status of an answer, its body, and its receipt. */
  async post(
    style: Style,
    name: string,
    script: Script,
    more: object = {},
  ): Promise<{ status: number; text: string; receipt: Receipt }> {
    this.vendor.scripts.set(name, script);
    const path = { chat: "chat/completions", messages: "messages", responses: "responses" }[style];
    const asked =
      style === "responses" ? { input: "hi" } : { messages: ASKED, ...(style === "messages" && { max_tokens: 100 }) };
    const response = await fetch(`${this.#gateway.url}/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#key.key}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify({ model: `${name}/m`, ...asked, ...more }),
    });
    const text = await response.text();
    const receipt = await endedReceipt(this.#gateway, this.#key.key, response.headers.get("x-camino-request-id") ?? "");
    return { status: response.status, text, receipt };
  }

  #read(style: Style, model: string, streamed: boolean): Promise<Read> {
    if (style === "chat") return this.#readChat(model, streamed);
    return style === "messages" ? this.#readMessages(model, streamed) : this.#readResponses(model, streamed);
  }

  async #readChat(model: string, streamed: boolean): Promise<Read> {
    const tools = TOOLS.map((name) => ({ type: "function" as const, function: { name, parameters: PARAMETERS } }));
    const asked = { model, messages: ASKED, tools };
    const options = { stream_options: { include_usage: true } };
    const { choices } = streamed
      ? await this.#openai.chat.completions.stream({ ...asked, ...options }).finalChatCompletion()
      : await this.#openai.chat.completions.create(asked);
    const [choice] = choices;
    const calls = (choice?.message.tool_calls ?? []).map((call) =>
      call.type === "function" ? `${call.function.name} ${call.function.arguments}` : "",
    );
    return { end: choice?.finish_reason ?? null, text: choice?.message.content ?? "", calls };
  }

  async #readMessages(model: string, streamed: boolean): Promise<Read> {
    const tools = TOOLS.map((name) => ({ name, input_schema: PARAMETERS }));
    const asked = { model, max_tokens: 100, messages: ASKED, tools };
    const { content, stop_reason } = streamed
      ? await this.#anthropic.messages.stream(asked).finalMessage()
      : await this.#anthropic.messages.create(asked);
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const calls = content.flatMap((block) =>
      block.type === "tool_use" ? [`${block.name} ${JSON.stringify(block.input)}`] : [],
    );
    return { end: stop_reason, text, calls };
  }

  async #readResponses(model: string, streamed: boolean): Promise<Read> {
    const tools = TOOLS.map((name) => ({ type: "function" as const, name, parameters: PARAMETERS, strict: false }));
    const asked = { model, input: "hi", tools };
    const response = streamed
      ? await this.#openai.responses.stream(asked).finalResponse()
      : await this.#openai.responses.create(asked);
    if (response.status === "failed") throw new Error(response.error?.message);
    const calls = response.output.flatMap((item) =>
      item.type === "function_call" ? [`${item.name} ${item.arguments}`] : [],
    );
    return { end: response.status ?? null, text: response.output_text, calls };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]();
    await this.vendor[Symbol.asyncDispose]();
  }
}
