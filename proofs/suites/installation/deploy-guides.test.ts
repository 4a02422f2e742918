import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LAUNCHER } from "../../support/camino-command.ts";
import { freePort } from "../../support/free-port.ts";
import { freshDatabase } from "../../support/postgres.ts";

/**
 * The guides for systemd, Docker Compose and Kubernetes, as they are pasted: every block of commands runs, in the order of its document, in a folder of
 * its own. systemd, a container engine and a cluster are not here: `systemctl`, `docker` and `kubectl` are programs of this test, which start the gateway
 * as the unit, the compose file and the manifests say, with their variables, secrets and folders.
 */

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../../..");

/** A folder with the repository's files for a deployment, and programs that stand in for the system's. */
interface World extends AsyncDisposable {
  readonly folder: string;
  /** Runs a block as a shell does that it is pasted into. */
  paste(block: string, env?: Record<string, string>): Promise<{ status: number; out: string; err: string }>;
}

async function newWorld(programs: Readonly<Record<string, string>>): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "camino-guide-"));
  await cp(join(ROOT, "deploy"), join(folder, "deploy"), { recursive: true });
  const port = freePort();
  for (const [name, text] of Object.entries(programs)) {
    const path = join(folder, "bin", name);
    await Bun.write(
      path,
      text.replaceAll("@FOLDER@", folder).replaceAll("@CAMINO@", LAUNCHER).replaceAll("@PORT@", `${port}`),
    );
    await chmod(path, 0o755);
  }
  return {
    folder,
    paste: async (block, env = {}) => {
      const child = Bun.spawn(["sh", "-c", block], {
        cwd: folder,
        env: { PATH: `${join(folder, "bin")}:${process.env.PATH}`, CAMINO_PORT: `${port}`, ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { status: await child.exited, out, err };
    },
    [Symbol.asyncDispose]: async () => {
      for (const name of await readdir(folder)) {
        if (!name.endsWith(".pid")) continue;
        const pid = Number(await readFile(join(folder, name), "utf8"));
        if (isAlive(pid)) process.kill(pid, "SIGTERM");
        while (isAlive(pid)) await Bun.sleep(20);
      }
      await rm(folder, { recursive: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The blocks of commands of a document, in its order. */
async function blocksOf(document: string): Promise<string[]> {
  const text = await Bun.file(join(ROOT, document)).text();
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
}

/** The link that a command has printed signs the first administrator in. */
async function expectSignInLink(out: string): Promise<void> {
  const link = /http:\S+#token=(\S+)/.exec(out);
  expect(link).not.toBeNull();
  const { origin } = new URL(link?.[0] ?? "");
  const look = await fetch(`${origin}/console/api/session/link/look`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: link?.[1] }),
  });
  expect(await look.json()).toMatchObject({ purpose: "first-administrator" });
}

const CAMINO = `#!/bin/sh\nexec "@CAMINO@" "$@"\n`;

describe("docs/deploy/systemd.md", () => {
  /** Starts what the installed unit says: its variables, copies of its secrets, its folder, its command. */
  const SYSTEMCTL = `#!/bin/sh
# A service has none of the variables of whoever starts it, but the port, which is the test's.
unset OPENAI_API_KEY
[ "$1" = daemon-reload ] && exit 0
[ "$*" = "enable --now camino" ] || { echo "unexpected: systemctl $*" >&2; exit 1; }
unit="@FOLDER@/etc/systemd/system/camino.service"
mkdir -p "@FOLDER@/var/lib/camino" "@FOLDER@/credentials"
sed -n 's/^LoadCredential=\\([^:]*\\):\\(.*\\)/\\1 \\2/p' "$unit" | while read -r name path; do
  install -m 0400 "@FOLDER@$path" "@FOLDER@/credentials/$name" || exit 1
done || exit 1
for variable in $(sed -n 's/^Environment=//p' "$unit" | sed "s#%d#@FOLDER@/credentials#; s#=/var#=@FOLDER@/var#"); do export "$variable"; done
cd "@FOLDER@$(sed -n 's/^WorkingDirectory=//p' "$unit")" || exit 1
command=$(sed -n 's/^ExecStart=//p' "$unit")
[ "$command" = "/usr/local/bin/camino serve" ] || { echo "unexpected: $command" >&2; exit 1; }
setsid "@CAMINO@" serve > "@FOLDER@/journal" 2>&1 &
echo $! > "@FOLDER@/gateway.pid"
`;
  const PROGRAMS = { camino: CAMINO, systemctl: SYSTEMCTL, journalctl: '#!/bin/sh\ncat "@FOLDER@/journal"\n' };
  /** The paths of the system, in the test's folder. */
  const within = (block: string, folder: string) => block.replaceAll(/(?<=[ >])\/(?=etc|var)/g, `${folder}/`);
  let blocks: string[];

  beforeAll(async () => {
    blocks = await blocksOf("docs/deploy/systemd.md");
  });

  test("starts the service, and prints a link that signs the first administrator in", async () => {
    await using world = await newWorld(PROGRAMS);
    await mkdir(join(world.folder, "etc/systemd/system"), { recursive: true });
    const outs: string[] = [];
    for (const block of blocks) {
      const { status, out, err } = await world.paste(within(block, world.folder), { OPENAI_API_KEY: "sk-guide" });
      expect({ status, err }).toEqual({ status: 0, err: "" });
      outs.push(out);
    }
    const secret = join(world.folder, "etc/camino/secrets");
    expect((await stat(secret)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(secret, "openai"), "utf8")).toBe("sk-guide");
    await expectSignInLink(outs.join(""));
  });

  test("ends before it starts anything where the key is missing", async () => {
    await using world = await newWorld(PROGRAMS);
    const [block = ""] = blocks;
    const { status, err } = await world.paste(within(block, world.folder));
    expect(status).not.toBe(0);
    expect(err).toContain("set it first");
    expect(await readdir(world.folder)).not.toContain("gateway.pid");
  });
});

describe("docs/deploy/docker-compose.md", () => {
  /** `up` starts the gateway of the file of one node, `exec gateway` runs a command beside it, both with the service's variables and secrets. */
  const DOCKER = `#!/bin/sh
# A container has none of the variables of whoever starts it, but the port, which is the test's.
unset OPENAI_API_KEY
[ "$1" = compose ] && [ "$2" = --file ] || exit 0
file="$3"; shift 3
[ -f "$file" ] || { echo "no such file: $file" >&2; exit 1; }
[ "$(basename "$file")" = one-node.yaml ] || exit 0
folder="$(dirname "$file")"; folder="$(cd "$folder" && pwd)"
for variable in $(sed -n 's/^      \\(CAMINO_[A-Z_]*\\|[A-Z]*_API_KEY_FILE\\): /\\1=/p' "$file"); do
  export "$(echo "$variable" | sed "s#/run/secrets#$folder/secrets#; s#/etc/camino#$folder#")"
done
export CAMINO_DATA="@FOLDER@/volume"
case "$1" in
  up) setsid "@CAMINO@" serve > "@FOLDER@/log" 2>&1 &
      echo $! > "@FOLDER@/gateway.pid"
      for _ in $(seq 100); do grep -q '"listening"' "@FOLDER@/log" && exit 0; sleep 0.2; done
      cat "@FOLDER@/log" >&2; exit 1 ;;
  exec) [ "$2" = gateway ] || exit 1; shift 2; exec "$@" ;;
  *) echo "unexpected: docker compose $*" >&2; exit 1 ;;
esac
`;
  let blocks: string[];
  let world: World;

  beforeAll(async () => {
    blocks = await blocksOf("docs/deploy/docker-compose.md");
    world = await newWorld({ camino: CAMINO, docker: DOCKER });
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test("makes the secrets, starts the gateway, and makes an account and a key in it", async () => {
    const outs: string[] = [];
    for (const block of blocks) {
      const { status, out, err } = await world.paste(block, { OPENAI_API_KEY: "sk-guide" });
      expect({ block, status, err }).toEqual({ block, status: 0, err: "" });
      outs.push(out);
    }
    const said = outs.join("");
    await expectSignInLink(said);
    expect(said).toMatch(/cm-\w{20}/);
    const folder = join(world.folder, "deploy/compose/secrets");
    const secrets = (await readdir(folder)).sort();
    const { secrets: named } = Bun.YAML.parse(
      await Bun.file(join(ROOT, "deploy/compose/several-nodes.yaml")).text(),
    ) as { secrets: Record<string, { file: string }> };
    expect(secrets).toEqual(Object.keys(named).sort());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const secret of secrets) expect((await stat(join(folder, secret))).mode & 0o777).toBe(0o444);
    const password = (await readFile(join(folder, "database_password"), "utf8")).trim();
    expect(await readFile(join(folder, "database_url"), "utf8")).toBe(
      `postgres://camino:${password}@database:5432/camino`,
    );
  });

  test("keeps secrets that are there, when it is pasted once more", async () => {
    const path = join(world.folder, "deploy/compose/secrets/camino_secret");
    const before = await readFile(path, "utf8");
    const block = blocks.find((each) => each.includes("openssl")) ?? "";
    expect((await world.paste(block, { OPENAI_API_KEY: "sk-other" })).status).not.toBe(0);
    expect(await readFile(path, "utf8")).toBe(before);
  });
});

describe("docs/deploy/kubernetes.md", () => {
  /**
   * `create secret` makes a file of each literal, `apply` starts one pod of the deployment with its variables, its secret and its configuration, and
   * `exec` runs a command beside it.
   */
  const KUBECTL = `#!/bin/sh
[ "$*" = "create namespace camino" ] && exit 0
[ "$1 $2" = "--namespace camino" ] || { echo "unexpected: kubectl $*" >&2; exit 1; }
shift 2
secrets="@FOLDER@/secrets" manifest="@FOLDER@/deploy/kubernetes/camino.yaml"
case "$1 $2 $3" in
  "create secret generic")
    [ "$4" = "$(sed -n 's/.*secretName: \\([a-z]*\\), defaultMode.*/\\1/p' "$manifest")" ] || exit 1
    shift 4; mkdir -p "$secrets"
    for literal in "$@"; do
      pair="\${literal#--from-literal=}"
      printf %s "\${pair#*=}" > "$secrets/\${pair%%=*}"
    done
    exit 0 ;;
  "apply --filename deploy/kubernetes/camino.yaml") ;;
  "exec deploy/camino --") ;;
  *) echo "unexpected: kubectl $*" >&2; exit 1 ;;
esac
for pair in $(sed -n 's/^            - { name: \\([A-Z_]*\\), value: "*\\([^ "]*\\)"* }/\\1=\\2/p' "$manifest" |
  sed "s#/run/secrets/camino#$secrets#; s#/etc/camino#@FOLDER@#; s#PORT=9090#PORT=$OPERATIONS_PORT#; s#0.0.0.0#127.0.0.1#"); do export "$pair"; done
export CAMINO_DATA="@FOLDER@/data"
if [ "$1" = exec ]; then shift 3; exec "$@"; fi
sed -n '/^  camino.yaml: |/,/^---/p' "$manifest" | sed '1d; $d; s/^    //' > "@FOLDER@/camino.yaml"
setsid "@CAMINO@" serve > "@FOLDER@/log" 2>&1 &
echo $! > "@FOLDER@/gateway.pid"
for _ in $(seq 100); do grep -q '"listening"' "@FOLDER@/log" && exit 0; sleep 0.2; done
cat "@FOLDER@/log" >&2; exit 1
`;

  test("makes the secret, starts the pod on the database, and prints a link that signs the first administrator in", async () => {
    await using world = await newWorld({ camino: CAMINO, kubectl: KUBECTL });
    const operations_port = freePort();
    const [block = "", ...others] = await blocksOf("docs/deploy/kubernetes.md");
    expect(others).toEqual([]);
    const filled = block
      .replace("database-url=postgres://…", `database-url=${await freshDatabase()}`)
      .replace("openai-api-key=…", "openai-api-key=sk-guide");
    expect(filled).not.toContain("…");
    const { status, out, err } = await world.paste(filled, { OPERATIONS_PORT: `${operations_port}` });
    expect({ status, err }).toEqual({ status: 0, err: "" });
    await expectSignInLink(out);
    // The probes of the deployment, and what its file of configuration says.
    for (const path of ["healthz", "readyz", "metrics"])
      expect((await fetch(`http://127.0.0.1:${operations_port}/${path}`)).status).toBe(200);
    expect(await readFile(join(world.folder, "camino.yaml"), "utf8")).toContain("behind_proxy: true");
    expect((await readFile(join(world.folder, "secrets/camino-secret"), "utf8")).length).toBe(48);
  });
});
