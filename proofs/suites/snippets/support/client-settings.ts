import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../../clients/client.ts";
import type { Ended } from "../../../clients/program.ts";
import { pretendPluginsInstalled } from "../../../clients/programs/opencode.ts";
import type { Session } from "../../../clients/session.ts";
import { type Block, readBlocks } from "./blocks.ts";

/** What a client's user writes by the documents, and how the client is asked something with it. */

const SAID = "Say hello.";

/** The settings of a client that stands in docs/clients.md. */
export function settingsOf(client: Client): readonly Block[] {
  return readBlocks(`settings of ${client.id}`, client.settings);
}

/** Settings with this gateway's address, and with models that its simulated vendor has. */
function forThisGateway(text: string, session: Session, kind: string): string {
  return text
    .replaceAll("http://127.0.0.1:8787", session.url)
    .replaceAll(/\b(openai|anthropic|google)\/(gpt|claude|gemini)-[\w.-]+/g, session.model(kind))
    .replaceAll("sim/judge-decider", "engine/decider")
    .replaceAll("sim/rank", "ranking/rank");
}

/**
 * Does what the documents say, word for word but for the address and the model, and asks once. Resolves with what the client has said. `null` where the
 * block is of a kind that this does not know.
 */
export async function askBySettings(client: Client, block: Block, session: Session): Promise<Ended | null> {
  const kind = KINDS[client.id] ?? "echo";
  const text = forThisGateway(block.text, session, kind);
  const run = PROGRAMS[client.id] ?? LANGUAGES[block.language];
  return run === undefined ? null : await run(session, text);
}

/** Models of the simulator for clients that want more than an echo. */
const KINDS: Readonly<Record<string, string>> = { instructor: "tools" };

type Run = (session: Session, text: string) => Promise<Ended>;

const key = ({ key: CAMINO_API_KEY }: Session) => ({ CAMINO_API_KEY });

const LANGUAGES: Readonly<Record<string, Run>> = {
  async python(session, text) {
    await Bun.write(join(session.folder, "settings.py"), text);
    return session.run("python", ["-B", "settings.py"], { env: key(session) });
  },
  async java(session, text) {
    const java = Bun.which("java");
    if (java === null) throw new Error("needs Java on the PATH");
    const path = join(session.folder, "Settings.java");
    await Bun.write(path, text);
    return session.run(java, ["-cp", join(session.installed.folder, "lib/*"), path], { env: key(session) });
  },
  async ts(session, text) {
    const node = Bun.which("node");
    if (node === null) throw new Error("needs Node.js on the PATH");
    // Beside the installed packages: modules are looked for from the program's own folder on.
    const path = join(session.installed.folder, `settings-${process.pid}.mjs`);
    await Bun.write(path, text);
    try {
      return await session.run(node, [path], { env: key(session) });
    } finally {
      await Bun.file(path).delete();
    }
  },
  async go(session, text) {
    const folder = join(session.folder, "settings");
    await mkdir(folder, { recursive: true });
    await Bun.write(join(folder, "main.go"), text);
    for (const file of ["go.mod", "go.sum"]) await copyFile(join(session.installed.folder, file), join(folder, file));
    const go = Bun.which("go");
    if (go === null) throw new Error("needs Go on the PATH");
    const kept = Bun.spawnSync([go, "env", "GOMODCACHE", "GOCACHE"]).stdout.toString().trim().split("\n");
    const [GOMODCACHE = "", GOCACHE = ""] = kept;
    const env = { ...key(session), GOMODCACHE, GOCACHE, GOPROXY: "off", GOFLAGS: "-mod=mod" };
    return session.run(go, ["run", "."], { cwd: folder, env });
  },
  sh: (session, text) => session.run("/bin/sh", ["-euc", text], { env: key(session) }),
};

const PROGRAMS: Readonly<Record<string, Run>> = {
  "claude-code": (session, text) =>
    session.run("/bin/sh", ["-euc", text.replace(/^claude$/m, `claude -p "${SAID}"`)], {
      env: { ...key(session), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    }),
  async "gemini-cli"(session, text) {
    const settings = { security: { auth: { selectedType: "gemini-api-key" } } };
    await Bun.write(join(session.home, ".gemini/settings.json"), JSON.stringify(settings));
    const asked = text.replace(/^(gemini --model \S+)/m, `$1 --skip-trust --prompt "${SAID}"`);
    return session.run("/bin/sh", ["-euc", asked], { env: key(session) });
  },
  async codex(session, text) {
    await Bun.write(join(session.home, ".codex/config.toml"), text);
    return session.run("codex", ["exec", "--skip-git-repo-check", SAID], { env: key(session) });
  },
  cline: (session, text) =>
    session.run("/bin/sh", ["-euc", text], { env: { ...key(session), CLINE_SESSION_BACKEND_MODE: "local" } }),
  async opencode(session, text) {
    const folder = join(session.home, ".config/opencode");
    await Bun.write(join(folder, "opencode.json"), text);
    await pretendPluginsInstalled(folder);
    const env = { ...key(session), OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
    return session.run("opencode", ["run", "--model", `camino/${session.model("echo")}`, SAID], { env });
  },
  aider: (session, text) => {
    const more = `--message "${SAID}" --no-git --yes-always --no-show-model-warnings --no-gitignore --no-check-update`;
    return session.run("/bin/sh", ["-euc", text.replace(/^(aider --model \S+)/m, `$1 ${more}`)], {
      env: { ...key(session), AIDER_ANALYTICS_DISABLE: "true", LITELLM_LOCAL_MODEL_COST_MAP: "True" },
    });
  },
  // Its smallest suite in place of the usual one, which takes half an hour.
  jevbench: (session, text) =>
    session.run("/bin/sh", ["-euc", text.replace(/^jevbench eval .*$/m, "$& --suite examples --no-cache")], {
      env: key(session),
    }),
  async "llm-python"(session, text) {
    const folder = join(session.home, "llm");
    await Bun.write(join(folder, "extra-openai-models.yaml"), text);
    const env = { LLM_USER_PATH: folder };
    await session.run("llm", ["keys", "set", "camino", "--value", session.key], { env });
    return session.run("llm", ["-m", "camino-gpt", SAID], { env });
  },
  async continue(session, text) {
    await Bun.write(join(session.home, ".continue/config.yaml"), text);
    await Bun.write(join(session.home, ".continue/.env"), `CAMINO_API_KEY=${session.key}\n`);
    return session.run("cn", ["-p", SAID], { env: key(session) });
  },
};
