import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withOwnSecrets } from "./secret-files.ts";
import { withVendorSecrets } from "./vendor-secrets.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-secrets-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function fileWith(content: string | Uint8Array): Promise<string> {
  const path = join(folder, `${Bun.randomUUIDv7()}.txt`);
  await Bun.write(path, content);
  return path;
}

describe("a secret's file", () => {
  test.each([
    ["as it is", "s3cret", "s3cret"],
    ["without the line break that `echo` leaves", "s3cret\n", "s3cret"],
    ["without the line break of other systems", "s3cret\r\n", "s3cret"],
    ["with blanks, which may belong to it", " s3 cret ", " s3 cret "],
    ["of several lines", "first\nsecond\n", "first\nsecond"],
  ])("is read %s", async (_how, content, secret) => {
    const CAMINO_SECRET_FILE = await fileWith(content);
    expect(withOwnSecrets({ CAMINO_SECRET_FILE }).CAMINO_SECRET).toBe(secret);
  });

  test("may be a pipe, which a shell makes of `<(…)`", async () => {
    const script = `import { withOwnSecrets } from ${JSON.stringify(join(import.meta.dir, "secret-files.ts"))};
      console.log(withOwnSecrets({ CAMINO_SECRET_FILE: "/dev/stdin" }).CAMINO_SECRET);`;
    const shell = `(printf "from a"; sleep 0.05; echo " pipe") | "$0" -e "$1"`;
    const child = Bun.spawn(["sh", "-c", shell, process.execPath, script], { stdout: "pipe" });
    expect(await child.stdout.text()).toBe("from a pipe\n");
  });

  test.each([
    ["is empty", "", "is empty"],
    ["has line breaks only", "\n\n", "is empty"],
    ["has blanks only", "  \n", "is empty"],
    ["is no text", new Uint8Array([0xff, 0xfe, 0x41]), "is no text in UTF-8"],
    ["is far too long", "x".repeat(70_000), "has more than 65536 bytes"],
  ])("that %s is refused with variable and path", async (_what, content, problem) => {
    const path = await fileWith(content);
    const read = () => withOwnSecrets({ CAMINO_ADMIN_TOKEN_FILE: path });
    expect(read).toThrow(`CAMINO_ADMIN_TOKEN_FILE: the file ${path} ${problem}`);
  });

  test.each([
    ["does not exist", () => join(folder, "none"), "ENOENT"],
    ["is a folder", () => folder, "EISDIR"],
  ])("that %s is refused with variable and path", (_what, path, reason) => {
    const read = () => withOwnSecrets({ CAMINO_DATABASE_URL_FILE: path() });
    expect(read).toThrow(`CAMINO_DATABASE_URL_FILE: the file ${path()} cannot be read (${reason}).`);
  });

  test("that never ends is not read to its end", () => {
    expect(() => withOwnSecrets({ CAMINO_SECRET_FILE: "/dev/zero" })).toThrow("has more than 65536 bytes");
  });

  test("beside the variable itself is refused, and neither value is shown", async () => {
    const CAMINO_SECRET_FILE = await fileWith("in the file");
    const read = () => withOwnSecrets({ CAMINO_SECRET: "in the variable", CAMINO_SECRET_FILE });
    expect(read).toThrow(/^CAMINO_SECRET and CAMINO_SECRET_FILE are both set; allowed: one of them\.$/);
  });

  test("whose variable is empty is none, and an empty variable is no value beside it", async () => {
    expect(withOwnSecrets({ CAMINO_SECRET_FILE: "" })).toEqual({ CAMINO_SECRET_FILE: "" });
    const CAMINO_SECRET_FILE = await fileWith("in the file");
    expect(withOwnSecrets({ CAMINO_SECRET: "", CAMINO_SECRET_FILE }).CAMINO_SECRET).toBe("in the file");
  });
});

describe("files of vendors' credentials", () => {
  test("are read for known vendors, for Amazon's signature, and for what the configuration names", async () => {
    const path = await fileWith("sk-1\n");
    const names = ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "ACME_API_KEY"];
    const env = Object.fromEntries(names.map((name) => [`${name}_FILE`, path]));
    const found = withVendorSecrets(env, "vendors: { acme: { api_key: '${ACME_API_KEY}' } }");
    expect(names.map((name) => found[name])).toEqual(["sk-1", "sk-1", "sk-1"]);
  });

  test("of other variables are left alone: they belong to other programs", () => {
    const env = { SSL_CERT_FILE: "/nowhere", AWS_WEB_IDENTITY_TOKEN_FILE: "/nowhere", ACME_API_KEY_FILE: "/nowhere" };
    expect(withVendorSecrets(env, "vendors: {}")).toBe(env);
  });

  test("are not asked for what was read already", async () => {
    const env = withOwnSecrets({ CAMINO_OPERATIONS_TOKEN_FILE: await fileWith("a token of operations") });
    expect(withVendorSecrets(env, "operations: { token: '${CAMINO_OPERATIONS_TOKEN}' }")).toBe(env);
  });
});
