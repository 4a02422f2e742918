import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../../scripts/release/run.ts";
import { CACHE, installClient } from "../../../clients/install.ts";
import { freePort } from "../../../support/free-port.ts";
import { ROOT } from "./npm.ts";

/** What runs a compose file. */
export interface ComposeTool {
  readonly engine: "docker" | "podman";
  /** The words that stand for `docker compose`. */
  readonly words: readonly string[];
}

const PODMAN_COMPOSE = {
  id: "podman-compose",
  install: { from: "pypi", python: "3", packages: { "podman-compose": "1.6.0" } },
} as const;

/** Docker with its plugin, or Podman with `podman-compose`, which is installed for it; a sentence where there is neither. */
export async function findCompose(): Promise<ComposeTool | { readonly lacks: string }> {
  const answers = (...words: string[]): boolean => Bun.which(words[0] ?? "") !== null && Bun.spawnSync(words).success;
  if (answers("docker", "info") && answers("docker", "compose", "version"))
    return { engine: "docker", words: ["docker", "compose"] };
  if (!answers("podman", "info"))
    return { lacks: "no container engine answers: neither Docker with its compose plugin nor Podman" };
  if (Bun.which("python3") === null)
    return { lacks: "Podman runs compose files by podman-compose, which needs python3" };
  try {
    const installed = await installClient(PODMAN_COMPOSE, CACHE);
    return { engine: "podman", words: [installed.bin("podman-compose")] };
  } catch (thrown) {
    return {
      lacks: `podman-compose cannot be installed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    };
  }
}

/** A vendor that answers in the same network, in place of one of the internet's. Podman would build its image a second time, beside the gateway's. */
const vendor = (engine: ComposeTool["engine"]): string => `  vendor:
${engine === "docker" ? `    build: ${ROOT}\n` : ""}    image: camino:local
    command: [simulate, --host, 0.0.0.0, --port, "9000"]
`;
const CONFIGURATION = `
vendors:
  acme: { protocol: chat-completions, base_url: "http://vendor:9000/v1", api_key: sk-of-the-drill }
models:
  acme/echo: { price: { input: 1, output: 4 }, capabilities: { thinking: false } }
  acme/long: { upstream_model: "long@tokens=40&ms=50", price: { input: 1, output: 4 }, capabilities: { thinking: false } }
`;

/** Podman answers for names at the address of the network itself, which is another one each time unless it is said; Docker at one of its own, which nginx.conf names. */
const DOCKERS_RESOLVER = "resolver 127.0.0.11 ";
const NETWORK = `
networks:
  default:
    ipam:
      config:
        - subnet: 10.213.7.0/24
          gateway: 10.213.7.1
`;

/** The compose files of the repository in a folder of their own, with a port and names of a drill, and a vendor beside them. */
export class ComposeProject implements AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  readonly #tool: ComposeTool;
  readonly #file: string;
  readonly #name: string;

  private constructor(tool: ComposeTool, folder: string, names: { file: string; name: string; url: string }) {
    this.#tool = tool;
    this.folder = folder;
    this.#file = join(folder, names.file);
    this.#name = names.name;
    this.url = names.url;
  }

  static async open(tool: ComposeTool, file: string): Promise<ComposeProject> {
    const folder = await mkdtemp(join(tmpdir(), "camino-compose-"));
    await cp(join(ROOT, "deploy/compose"), folder, { recursive: true });
    await rm(join(folder, "secrets"), { recursive: true, force: true });
    const [port, name] = [freePort(), `camino-drill-${process.pid}-${file.replace(/\W.*/, "")}`];
    const text = await Bun.file(join(folder, file)).text();
    const own = replaced(text, {
      "name: camino\n": `name: ${name}\n`,
      "services:\n": `services:\n${vendor(tool.engine)}`,
      "build: ../..": `build: ${ROOT}`,
      "image: camino:local": `image: ${name}:local`,
      '"8787:8787"': `"127.0.0.1:${port}:8787"`,
    });
    await Bun.write(join(folder, file), own + (tool.engine === "podman" ? NETWORK : ""));
    if (tool.engine === "podman") {
      const proxy = join(folder, "nginx.conf");
      const by = { [DOCKERS_RESOLVER]: "resolver 10.213.7.1 " };
      await Bun.write(proxy, replaced(await Bun.file(proxy).text(), by));
    }
    const configuration = join(folder, "camino.yaml");
    await Bun.write(configuration, (await Bun.file(configuration).text()) + CONFIGURATION);
    return new ComposeProject(tool, folder, { file, name, url: `http://127.0.0.1:${port}` });
  }

  /** Runs `docker compose --file FILE` with these words and returns what it prints. */
  async compose(...words: string[]): Promise<string> {
    return await this.#run([...this.#tool.words, "--file", this.#file, ...words]);
  }

  /** Runs the engine with these words. */
  async engine(...words: string[]): Promise<string> {
    return await this.#run([this.#tool.engine, ...words]);
  }

  /** A command of `camino` in a service's first container. */
  async camino<Printed>(...words: string[]): Promise<Printed> {
    const text = await this.compose("exec", "-T", "gateway", "camino", ...words, "--json");
    return JSON.parse(text.slice(text.indexOf("{"))) as Printed;
  }

  /** The running containers of a service. */
  async containersOf(service: string): Promise<string[]> {
    const filters = [`com.docker.compose.project=${this.#name}`, `com.docker.compose.service=${service}`];
    const words = filters.flatMap((label) => ["--filter", `label=${label}`]);
    return (await this.engine("ps", "--quiet", ...words)).split("\n").filter(Boolean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.compose("down", "--volumes", "--timeout", "5").catch(() => "");
    await this.engine("rmi", "--force", `${this.#name}:local`).catch(() => "");
    await rm(this.folder, { recursive: true, force: true });
  }

  async #run(words: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await run(words, this.folder, { BUILDAH_FORMAT: "docker" });
    if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    return stdout.trim();
  }
}

function replaced(text: string, by: Readonly<Record<string, string>>): string {
  let made = text;
  for (const [from, to] of Object.entries(by)) {
    if (!made.includes(from)) throw new Error(`the file of the deployment has no "${from}"`);
    made = made.replaceAll(from, to);
  }
  return made;
}
