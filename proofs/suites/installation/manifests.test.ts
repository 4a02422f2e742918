import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../scripts/release/run.ts";
import { CACHE, type Installed, installClient } from "../../clients/install.ts";
import { ROOT } from "./support/npm.ts";

/**
 * The manifests of Kubernetes, by the schemas of Kubernetes itself: `kubernetes-validate`, a program in Python that has those of each version inside.
 * It is installed once, in a folder of its own; without Python, or without a registry of its packages, the drill is skipped and says so.
 */

const MINUTES_MS = 240_000;
const TOOL = {
  id: "kubernetes-validate",
  install: { from: "pypi", python: "3", packages: { "kubernetes-validate": "1.37.0" } },
} as const;
const MANIFESTS = join(ROOT, "deploy/kubernetes/camino.yaml");

async function installed(): Promise<Installed | null> {
  if (Bun.which("python3") === null) {
    console.warn("skipped: the manifests are checked by a program in Python, and there is no python3");
    return null;
  }
  return await installClient(TOOL, CACHE).catch((thrown: unknown) => {
    console.warn(
      `skipped: kubernetes-validate cannot be installed: ${thrown instanceof Error ? thrown.message : thrown}`,
    );
    return null;
  });
}

const tool = await installed();
const page = await Bun.file(join(ROOT, "docs/deploy/kubernetes.md")).text();
/** The versions that the page names. */
const [, named = ""] = /schemas of ([\d., and]+\d) strictly/.exec(page) ?? [];
const VERSIONS = named.split(/, | and /);

test("the page names the versions of which the schemas are asked", () => {
  expect(VERSIONS.length).toBeGreaterThan(2);
  expect(VERSIONS.filter((version) => !/^1\.\d+$/.test(version))).toEqual([]);
});

describe.skipIf(tool === null)("the manifests", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "camino-manifests-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const validate = (version: string, path: string) =>
    run([tool?.bin("kubernetes-validate") ?? "", "--strict", "--kubernetes-version", version, path], folder);

  test.each(VERSIONS)(
    "pass the schemas of %s, each of them",
    async (version) => {
      const { status, stdout, stderr } = await validate(version, MANIFESTS);
      expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
      const kinds = (await Bun.file(MANIFESTS).text()).match(/^kind: /gm) ?? [];
      expect((stdout + stderr).match(/INFO\s+.* passed/gi)).toHaveLength(kinds.length);
    },
    MINUTES_MS,
  );

  test(
    "with a field that Kubernetes has not are refused",
    async () => {
      const wrong = join(folder, "wrong.yaml");
      const text = await Bun.file(MANIFESTS).text();
      await Bun.write(wrong, text.replace("terminationGracePeriodSeconds:", "terminationGraceSeconds:"));
      const { status, stdout, stderr } = await validate(VERSIONS.at(-1) ?? "", wrong);
      expect(status).not.toBe(0);
      expect(stdout + stderr).toContain("terminationGraceSeconds");
    },
    MINUTES_MS,
  );
});
