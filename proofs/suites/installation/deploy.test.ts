import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VENDOR_ROWS } from "../../../src/catalog/vendors/vendors.ts";
import { readSettings } from "../../../src/main/settings/settings.ts";
import { LAUNCHER } from "../../support/camino-command.ts";

/** What `deploy/` and the Dockerfile say about the gateway is so. */

const ROOT = join(import.meta.dir, "../../..");
const textOf = (path: string): Promise<string> => Bun.file(join(ROOT, path)).text();
const FILES = [
  "Dockerfile",
  "deploy/compose/one-node.yaml",
  "deploy/compose/several-nodes.yaml",
  "deploy/kubernetes/camino.yaml",
  "deploy/systemd/camino.service",
];
/** systemd's own reader; null where there is no systemd. */
const SYSTEMD_ANALYZE = Bun.which("systemd-analyze");
/** A drain's patience (docs/operations.md), in seconds. */
const DRAIN_S = 120;

describe.each(FILES)("%s", (path) => {
  test("names variables that Camino reads", async () => {
    const documented = await textOf("docs/configuration.md");
    const credentials = VENDOR_ROWS.flatMap(({ api_key_env }) => api_key_env).map((name) => `${name}_FILE`);
    const named = (await textOf(path)).match(/\b[A-Z][A-Z_]+_(FILE|KEY|TOKEN)\b|\bCAMINO_[A-Z_]+\b/g) ?? [];
    const others = ["POSTGRES_PASSWORD_FILE"];
    const unknown = named.filter(
      (name) => !documented.includes(`\`${name}\``) && !credentials.includes(name) && !others.includes(name),
    );
    expect(unknown).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });

  test("gives a drain the time that it takes, wherever it says how long", async () => {
    const text = await textOf(path);
    const patterns = [/stop_grace_period: (\d+)s/g, /terminationGracePeriodSeconds: (\d+)/g, /TimeoutStopSec=(\d+)/g];
    const seconds = patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, digits]) => Number(digits)));
    if (path !== "Dockerfile") expect(seconds.length).toBeGreaterThan(0);
    for (const each of seconds) expect(each).toBeGreaterThan(DRAIN_S + 5);
  });
});

describe.skipIf(SYSTEMD_ANALYZE === null)("the unit, in the words of systemd-analyze,", () => {
  let folder: string;
  let unit: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "camino-unit-"));
    unit = join(folder, "camino.service");
    // The command is where it is installed; here it is the repository's.
    await Bun.write(unit, (await textOf("deploy/systemd/camino.service")).replace("/usr/local/bin/camino", LAUNCHER));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const analyzed = (...words: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([SYSTEMD_ANALYZE ?? "", ...words, unit]);
    return { exitCode, out: stdout.toString(), err: stderr.toString() };
  };

  test("has no mistake", () => {
    expect(analyzed("verify")).toEqual({ exitCode: 0, out: "", err: "" });
  });

  test("is as confined as the documents say", async () => {
    const [, rated = ""] = /rates the unit ([\d.]+) of 10/.exec(await textOf("docs/deploy/systemd.md")) ?? [];
    // Its threshold is in tenths.
    const { exitCode, out } = analyzed("security", "--offline=true", `--threshold=${Math.round(Number(rated) * 10)}`);
    expect({ exitCode, out }).toMatchObject({ exitCode: 0 });
  });
});

interface Compose {
  readonly services: Record<
    string,
    { readonly volumes?: string[]; readonly secrets?: string[]; readonly environment?: Record<string, string> }
  >;
  readonly secrets: Record<string, { readonly file: string }>;
}

describe.each(["one-node", "several-nodes"])("the compose file of %s", (name) => {
  test("hands out every secret that it names, and binds files that are there", async () => {
    const { services, secrets } = Bun.YAML.parse(await textOf(`deploy/compose/${name}.yaml`)) as Compose;
    for (const service of Object.values(services)) {
      const files = Object.entries(service.environment ?? {}).filter(([variable]) => variable.endsWith("_FILE"));
      expect(files.map(([, path]) => path).sort()).toEqual(
        (service.secrets ?? []).map((id) => `/run/secrets/${id}`).sort(),
      );
      for (const id of service.secrets ?? []) expect(secrets).toHaveProperty(id);
      for (const volume of service.volumes ?? []) {
        const [from = ""] = volume.split(":");
        if (from.startsWith(".")) expect(existsSync(join(ROOT, "deploy/compose", from))).toBe(true);
      }
    }
  });
});

test("the Dockerfile ignores what is built, and keeps what it builds from", async () => {
  const ignored = (await textOf(".dockerignore")).trim().split("\n");
  expect(ignored).toEqual(expect.arrayContaining(["node_modules", "dist", "console/dist", "data", ".git"]));
  const { files } = JSON.parse(await textOf("package.json"));
  expect(files.filter((path: string) => ignored.includes(path))).toEqual(["console/dist"]);
});

test("every port that is named is one at which the gateway listens", async () => {
  const settings = readSettings({}, { CAMINO_HOST: "0.0.0.0" });
  const [main, apart] = [String(settings.port), "9090"];
  const named = async (path: string, pattern: RegExp) =>
    Array.from((await textOf(path)).matchAll(pattern), ([, port = ""]) => port);
  expect(await named("Dockerfile", /(?:EXPOSE |CAMINO_PORT \?\? )(\d+)/g)).toEqual([main, main]);
  expect(await named("deploy/compose/nginx.conf", /server gateway:(\d+)/g)).toEqual([main]);
  const [proxied] = await named("deploy/compose/nginx.conf", /listen (\d+)/g);
  for (const name of ["one-node", "several-nodes"])
    expect(await named(`deploy/compose/${name}.yaml`, /ports: \["\d+:(\d+)"\]/g)).toEqual([proxied ?? ""]);
  const manifests = "deploy/kubernetes/camino.yaml";
  expect(await named(manifests, /containerPort: (\d+)/g)).toEqual([main, apart]);
  expect(await named(manifests, /CAMINO_OPERATIONS_PORT, value: "(\d+)"/g)).toEqual([apart]);
  expect(await named(manifests, /httpGet: \{ path: \/\w+, port: (\w+) \}/g)).toEqual(Array(3).fill("operations"));
  expect(await named(manifests, /(?:targetPort|port: \{ name): (\w+)/g)).toEqual(["http", "http"]);
});

test("the manifests of Kubernetes mount every file of a secret that they name", async () => {
  const documents = (await textOf("deploy/kubernetes/camino.yaml")).split(/^---$/m).map((text) => Bun.YAML.parse(text));
  const kinds = (documents as { kind: string }[]).map(({ kind }) => kind);
  expect(kinds).toEqual(["ConfigMap", "Deployment", "Service", "PodDisruptionBudget", "Ingress"]);
  const text = await textOf("deploy/kubernetes/camino.yaml");
  const keys = Array.from(text.matchAll(/_FILE, value: \/run\/secrets\/camino\/([a-z-]+)/g), ([, key = ""]) => key);
  expect(keys.length).toBeGreaterThan(3);
  // The comment at the file's head makes the secret with these keys.
  for (const key of keys) expect(text).toContain(`--from-literal=${key}=`);
});
