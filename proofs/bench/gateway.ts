import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { MODELS } from "./exchange.ts";
import { MEDIA_MODELS } from "./media.ts";
import { freePort, type Program, ROOT, start, waitFor } from "./programs.ts";

/** A `camino` command: the project's own, or another checkout's that runs beside it, so that a change is measured in the same minutes. */
export interface Variant {
  readonly name: string;
  /** The path of its `bin/camino`. */
  readonly command: string;
  /** Further sections of its configuration. */
  readonly sections?: object;
}

/** The project's own. */
export const OWN: Variant = { name: "gateway", command: join(ROOT, "bin/camino") };

export interface GatewayOptions {
  /** The path of its `bin/camino`. */
  readonly command: string;
  readonly vendor_url: string;
  /** For its configuration, data and logs; made if it is not there. */
  readonly folder: string;
  /** `postgres://…` or `sqlite:PATH`; without it SQLite in the folder. */
  readonly database?: string;
  /** Further sections of its configuration. */
  readonly sections?: object;
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A Camino that serves. */
export interface Gateway {
  readonly program: Program;
  /** `http://127.0.0.1:PORT`; its endpoints are below `/v1`. */
  readonly origin: string;
}

/** What nodes on one database have alike. */
const SHARED = {
  CAMINO_ADMIN_TOKEN: "bench-admin-token-0123456789abcdef",
  CAMINO_SECRET: "bench-secret-0123456789abcdef-0123456789",
};

/** Starts Camino as a user does: its own command, a configuration file, a database on the disk, prices that are not zero. */
export async function serveGateway({
  command,
  vendor_url,
  folder,
  database,
  sections,
  env = {},
}: GatewayOptions): Promise<Gateway> {
  await mkdir(folder, { recursive: true });
  const port = freePort();
  const config = join(folder, "camino.yaml");
  await Bun.write(config, configuration(vendor_url, sections));
  const origin = `http://127.0.0.1:${port}`;
  const options = ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--data", join(folder, "data")];
  if (database !== undefined) options.push("--database", database);
  const program = start([command, "serve", ...options], join(folder, "log"), { ...SHARED, CAMINO_URL: origin, ...env });
  await waitFor("camino serve", program, async () => ((await fetch(`${origin}/readyz`)).ok ? true : null));
  return { program, origin };
}

const MODEL = { price: { input: 1, output: 4 }, capabilities: { thinking: false } };

function configuration(vendor_url: string, sections: object = {}): string {
  return Bun.YAML.stringify(
    {
      currency: "USD",
      catalog: "none",
      vendors: { bench: { name: "Bench", protocol: "chat-completions", base_url: vendor_url, api_key: "vendor-key" } },
      models: Object.fromEntries([
        ...MODELS.map((model) => [`bench/${model}`, MODEL]),
        ...Object.entries(MEDIA_MODELS).map(([name, model]) => [`bench/${name}`, model]),
      ]),
      ...sections,
    },
    null,
    2,
  );
}

/** Callers that are made at the same time. */
const AT_ONCE = 16;

/** Makes accounts with credit and a key each, whose limits no lane reaches, with more fields of a key; resolves with the keys. */
export async function makeKeys(gateway: Gateway, count: number, fields: object = {}): Promise<string[]> {
  const keys: string[] = [];
  const makeOne = async (): Promise<void> => {
    const email = `bench-${crypto.randomUUID()}@example.com`;
    await askAdmin(gateway, "POST", "accounts", { email, credit: "1000000" });
    const { key } = await askAdmin(gateway, "POST", "keys", {
      account: email,
      rpm: 100_000_000,
      concurrent: 10_000,
      ...fields,
    });
    keys.push(String(key));
  };
  while (keys.length < count) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - keys.length) }, makeOne));
  }
  return keys;
}

/** Has what is said by all accounts kept from now on. */
export async function keepContents(gateway: Gateway): Promise<void> {
  const { data } = (await askAdmin(gateway, "GET", "accounts")) as { data: readonly { id: string }[] };
  for (const { id } of data) await askAdmin(gateway, "PUT", "contents/switches", { account: id, content_log: true });
}

async function askAdmin(
  { origin }: Gateway,
  method: "GET" | "POST" | "PUT",
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${origin}/console/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${SHARED.CAMINO_ADMIN_TOKEN}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the gateway answers ${answer.status} at ${path}: ${text}`);
  return JSON.parse(text);
}
