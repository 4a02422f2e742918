import { strict as assert } from "node:assert";
import { soundOf } from "../../../simulator/sound/sound.ts";
import { freePort } from "../../support/free-port.ts";
import type { Client } from "../client.ts";
import { NO_DRAWING, NO_EMBEDDINGS, NO_LISTENING } from "../media-models.ts";
import { lastWords, type Session } from "../session.ts";

/** What has Open WebUI draw, speak and write down by this gateway, as docs/clients.md shows it. `key` and the models are a user's own. */
function mediaEnvironment(base_url: string, key: string, models: MediaModels): Readonly<Record<string, string>> {
  return {
    ENABLE_IMAGE_GENERATION: "true",
    IMAGE_GENERATION_ENGINE: "openai",
    IMAGES_OPENAI_API_BASE_URL: base_url,
    IMAGES_OPENAI_API_KEY: key,
    IMAGE_GENERATION_MODEL: models.image,
    IMAGE_SIZE: "1024x1024",
    IMAGE_URL_RESPONSE_MODELS_REGEX_PATTERN: ".*",
    AUDIO_TTS_ENGINE: "openai",
    AUDIO_TTS_OPENAI_API_BASE_URL: base_url,
    AUDIO_TTS_OPENAI_API_KEY: key,
    AUDIO_TTS_MODEL: models.speech,
    AUDIO_STT_ENGINE: "openai",
    AUDIO_STT_OPENAI_API_BASE_URL: base_url,
    AUDIO_STT_OPENAI_API_KEY: key,
    AUDIO_STT_MODEL: models.transcription,
    RAG_EMBEDDING_ENGINE: "openai",
    RAG_OPENAI_API_BASE_URL: base_url,
    RAG_OPENAI_API_KEY: key,
    RAG_EMBEDDING_MODEL: models.embedding,
  };
}

interface MediaModels {
  readonly image: string;
  readonly speech: string;
  readonly transcription: string;
  readonly embedding: string;
}

const SHOWN = mediaEnvironment("http://127.0.0.1:8787/v1", "the key", {
  ...{ image: "openai/gpt-image-1.5", speech: "openai/gpt-4o-mini-tts", transcription: "openai/gpt-4o-transcribe" },
  embedding: "openai/text-embedding-3-small",
});

/** An Open WebUI that serves, and its administrator. */
class WebUi {
  readonly #url: string;
  #token = "";

  private constructor(url: string) {
    this.#url = url;
  }

  /** Starts it in the session's folder, with an administrator of its own. It loads no model and asks no hub for one. */
  static async start(session: Session, more: Readonly<Record<string, string>> = {}): Promise<WebUi> {
    const port = freePort();
    const env = {
      ...{ DATA_DIR: session.home, WEBUI_SECRET_KEY: "a secret of this scenario", OFFLINE_MODE: "true" },
      ...{ RAG_EMBEDDING_ENGINE: "openai", ENABLE_OLLAMA_API: "false", ANONYMIZED_TELEMETRY: "false" },
      // The gateway is on this machine.
      ...{ ENABLE_OPENAI_API: "true", OPENAI_API_BASE_URL: `${session.url}/v1`, OPENAI_API_KEY: "" },
      ...more,
    };
    const running = session.start("open-webui", ["serve", "--host", "127.0.0.1", "--port", String(port)], { env });
    const webui = new WebUi(`http://127.0.0.1:${port}`);
    let ended: string | null = null;
    void running.ended.then((end) => {
      ended = lastWords(end);
    });
    while (!(await webui.#isUp())) {
      if (ended !== null) throw new Error(`Open WebUI ended: ${ended}`);
      await Bun.sleep(200);
    }
    const person = { name: "Admin", email: "admin@example.com", password: "a-password-of-this-test" };
    webui.#token = String((await webui.post("/api/v1/auths/signup", person)).token);
    return webui;
  }

  async #isUp(): Promise<boolean> {
    return await fetch(`${this.#url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Throws what it says where it refuses. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(this.#url + path, { ...init, headers: { ...this.#authorization(), ...init.headers } });
    if (!answer.ok) throw new Error(`Open WebUI answers ${answer.status} at ${path}: ${await answer.text()}`);
    return answer;
  }

  #authorization(): Record<string, string> {
    return this.#token === "" ? {} : { authorization: `Bearer ${this.#token}` };
  }

  async get(path: string): Promise<Record<string, unknown>> {
    return (await (await this.ask(path)).json()) as Record<string, unknown>;
  }

  async post(path: string, body: object): Promise<Record<string, unknown>> {
    return (await (await this.#send(path, body)).json()) as Record<string, unknown>;
  }

  async #send(path: string, body: object): Promise<Response> {
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return await this.ask(path, { method: "POST", ...(body instanceof FormData ? { body } : json) });
  }

  async bytes(path: string, body: object): Promise<Buffer> {
    return Buffer.from(await (await this.#send(path, body)).arrayBuffer());
  }

  async text(path: string, body: object): Promise<string> {
    return await (await this.#send(path, body)).text();
  }

  /** Its settings of one kind, changed as its page of settings does: all of them are sent. */
  async set(path: string, change: (settings: Record<string, Record<string, unknown>>) => object): Promise<void> {
    const settings = (await this.get(`${path}/config`)) as Record<string, Record<string, unknown>>;
    await this.post(`${path}/config/update`, change(settings));
  }
}

/** The gateway as a connection of the type OpenAI. */
async function connect(webui: WebUi, { url, key }: Session): Promise<void> {
  const connection = { OPENAI_API_BASE_URLS: [`${url}/v1`], OPENAI_API_KEYS: [key], OPENAI_API_CONFIGS: {} };
  await webui.post("/openai/config/update", { ENABLE_OPENAI_API: true, ...connection });
}

async function draws(webui: WebUi): Promise<void> {
  const made = await webui.post("/api/v1/images/generations", { prompt: "A lighthouse by the sea" });
  const [image] = made as unknown as readonly { url: string }[];
  const bytes = Buffer.from(await (await webui.ask(image?.url ?? "")).arrayBuffer());
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
}

async function speaks(webui: WebUi): Promise<void> {
  const spoken = { input: "The trains leave every hour.", voice: "alloy" };
  const sound = await webui.bytes("/api/v1/audio/speech", spoken);
  assert.ok(sound.length > 1000, `${sound.length} bytes of sound`);
}

async function writesDown(webui: WebUi): Promise<void> {
  const form = new FormData();
  const wav = Buffer.concat(soundOf({ text: "one two three four", format: "wav", events: false }));
  form.append("file", new File([wav], "said.wav", { type: "audio/wav" }));
  const { text } = await webui.post("/api/v1/audio/transcriptions", form);
  assert.ok(typeof text === "string" && text.length > 0, `the text is ${JSON.stringify(text)}`);
}

const DOCUMENT = "The lighthouse of Camino is painted red. Trains to it leave every hour. Cats sleep on its stairs.";

/** Has a document embedded, and a question answered with what was found in it. */
async function answersFrom(webui: WebUi, session: Session): Promise<void> {
  const form = new FormData();
  form.append("file", new File([DOCUMENT], "lighthouse.txt", { type: "text/plain" }));
  const { id } = await webui.post("/api/v1/files/?process_in_background=false", form);
  const found = await webui.post("/api/v1/retrieval/query/doc", {
    ...{ collection_name: `file-${id}`, query: "When do the trains leave?", k: 3 },
  });
  assert.match(JSON.stringify(found), /every hour/);
  const answer = await webui.text("/api/chat/completions", {
    ...{ model: session.model("echo"), stream: false, files: [{ type: "file", id }] },
    messages: [{ role: "user", content: "When do the trains leave?" }],
  });
  assert.match(answer, /every hour/);
}

export const openWebUi: Client = {
  id: "open-webui",
  name: "Open WebUI",
  // What runs models on this machine is left out: the gateway's models take its place.
  install: { from: "pypi", packages: { "open-webui": "0.12.4" }, python: "3.11", without: ["torch"] },
  settings: `
For chats, add a connection of the type OpenAI with \`http://127.0.0.1:8787/v1\` and a key, in *Admin Settings*, *Connections*. For images, speech, dictation and
documents, in *Admin Settings* too, or in its environment:

| Variable | Value |
| --- | --- |
${Object.entries(SHOWN)
  .map(([name, value]) => `| \`${name}\` | ${value === "the key" ? value : `\`${value}\``} |`)
  .join("\n")}

Where the pattern does not match a model's name from its first letter on, Open WebUI sends \`response_format\`, which OpenAI's image models refuse, as they do its own size of 512x512.
Sound that is no MP3, as Gemini's, it converts with ffmpeg. For ranking, switch *Hybrid Search* on in *Documents*, with the engine \`external\`, \`http://127.0.0.1:8787/v1/rerank\`, the key
and a model of ranking.`,
  scenarios: [
    {
      name: "chats, whole and streamed, with a model of the gateway's list",
      async run(session) {
        const webui = await WebUi.start(session);
        await connect(webui, session);
        const { data } = await webui.get("/api/models");
        const ids = (data as readonly { id: string }[]).map(({ id }) => id);
        const model = session.model("echo");
        assert.ok(ids.includes(model), `it lists ${ids.length} models, and ${model} is not among them`);
        for (const stream of [false, true]) {
          const messages = [{ role: "user", content: "Say hello." }];
          assert.match(await webui.text("/api/chat/completions", { model, messages, stream }), /hello/);
        }
        assert.ok((await session.spentMicro()) > 0);
      },
    },
    {
      name: "draws",
      except: NO_DRAWING,
      async run(session) {
        const webui = await WebUi.start(session, { IMAGE_URL_RESPONSE_MODELS_REGEX_PATTERN: ".*" });
        await webui.set("/api/v1/images", (settings) => ({
          ...settings,
          ...{ ENABLE_IMAGE_GENERATION: true, IMAGE_GENERATION_ENGINE: "openai", IMAGE_SIZE: "1024x1024" },
          ...{ IMAGE_GENERATION_MODEL: session.model("draw"), IMAGES_OPENAI_API_BASE_URL: `${session.url}/v1` },
          IMAGES_OPENAI_API_KEY: session.key,
        }));
        await draws(webui);
        assert.ok((await session.spentMicro()) > 0);
      },
    },
    {
      name: "speaks and writes down",
      except: NO_LISTENING,
      async run(session) {
        const webui = await WebUi.start(session);
        const gateway = { ENGINE: "openai", OPENAI_API_BASE_URL: `${session.url}/v1`, OPENAI_API_KEY: session.key };
        await webui.set("/api/v1/audio", ({ tts, stt }) => ({
          tts: { ...tts, ...gateway, MODEL: session.model("speak"), VOICE: "alloy" },
          stt: { ...stt, ...gateway, MODEL: session.model("listen") },
        }));
        await speaks(webui);
        const spoken_micro = await session.spentMicro();
        assert.ok(spoken_micro > 0);
        await writesDown(webui);
        assert.ok((await session.spentMicro()) > spoken_micro);
      },
    },
    {
      name: "answers from a document, by embeddings and ranking",
      except: NO_EMBEDDINGS,
      async run(session) {
        const webui = await WebUi.start(session);
        await connect(webui, session);
        await webui.post("/api/v1/retrieval/embedding/update", {
          ...{ RAG_EMBEDDING_ENGINE: "openai", RAG_EMBEDDING_MODEL: session.model("embed") },
          openai_config: { url: `${session.url}/v1`, key: session.key },
        });
        await answersFrom(webui, session);
        await webui.post("/api/v1/retrieval/config/update", {
          ...{ ENABLE_RAG_HYBRID_SEARCH: true, RAG_RERANKING_ENGINE: "external", RAG_RERANKING_MODEL: "ranking/rank" },
          RAG_EXTERNAL_RERANKER_URL: `${session.url}/v1/rerank`,
          RAG_EXTERNAL_RERANKER_API_KEY: session.key,
        });
        await answersFrom(webui, session);
        const paths = session.vendorSaw.map(({ path }) => path);
        assert.ok(
          paths.some((path) => path.endsWith("/rerank")),
          `the vendor was asked at ${paths.join(", ")}`,
        );
      },
    },
    {
      name: "by its environment: draws, speaks, writes down and embeds",
      except: NO_LISTENING,
      async run(session) {
        const models = {
          ...{ image: session.model("draw"), speech: session.model("speak") },
          ...{ transcription: session.model("listen"), embedding: session.model("embed") },
        };
        const env = mediaEnvironment(`${session.url}/v1`, session.key, models);
        const webui = await WebUi.start(session, env);
        await connect(webui, session);
        await draws(webui);
        await speaks(webui);
        await writesDown(webui);
        await answersFrom(webui, session);
        const refused = session.vendorSaw.filter(({ status }) => status >= 400);
        assert.deepEqual(refused, []);
      },
    },
  ],
};
