import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { BLOCKS, placeOf, ROOT } from "./support/blocks.ts";
import { kindOf } from "./support/kinds.ts";

/** Programs of the documents that use the project's own files are run against a gateway. */

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 30_000);
afterAll(() => gateway[Symbol.asyncDispose]());

describe("a program", () => {
  const programs = BLOCKS.filter((block) => kindOf(block)?.kind === "program").map(
    (block) => [placeOf(block), block] as const,
  );

  test.each(programs)("at %s runs and prints what the gateway has", async (_place, { text }) => {
    await gateway.newKey({ name: "of the reader" });
    const { key } = await gateway.admin<{ key: string }>("POST", "/management-keys", {
      name: "r",
      scopes: ["keys:read"],
    });
    const program = text
      .replaceAll("https://gateway.example", gateway.url)
      .replaceAll(/"\.\/(?=contract\/)/g, `"${ROOT}/`);
    const path = join(gateway.data, `program-${Bun.hash(text)}.ts`);
    await Bun.write(path, program);
    const child = Bun.spawn([process.execPath, path], {
      ...{ cwd: gateway.data, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
      env: { PATH: process.env.PATH ?? "", MANAGEMENT_KEY: key },
    });
    const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("of the reader");
  });
});
