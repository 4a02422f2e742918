import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { linkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../core/ids.ts";
import { openStore } from "../open-store.ts";
import { rejectionOf } from "../suite/books.ts";
import { expectNothingLost, killWhileWriting } from "../suite/killed-writer.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-owner-"));
afterAll(() => rmSync(folder, { recursive: true }));
const urlOf = (name: string): string => `sqlite:${join(folder, name)}`;
const open = (url: string) => openStore({ url, node_id: newId("node") });

describe("a SQLite file", () => {
  test("has one owner: another process is refused at once, with what to do, and may have it afterwards", async () => {
    const url = urlOf("owned.db");
    const store = await open(url);
    const openElsewhere = () => {
      const program = `
        import { openStore } from ${JSON.stringify(join(import.meta.dir, "../open-store.ts"))};
        const store = await openStore({ url: ${JSON.stringify(url)}, node_id: "node_2" });
        await store.close();`;
      return Bun.spawnSync([process.execPath, "-e", program]);
    };
    const refused = openElsewhere();
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr.toString()).toContain("is in use by another gateway");
    // In this process, too.
    expect(String(await rejectionOf(open(url)))).toContain("is in use by another gateway");
    await store.ping();
    await store.close();
    expect(openElsewhere()).toMatchObject({ exitCode: 0 });
  });

  test("has one owner by whatever path: a symbolic link, a hard link and a deleted lock admit no second", async () => {
    const path = join(folder, "identity.db");
    const store = await open(`sqlite:${path}`);
    symlinkSync(path, join(folder, "symbolic.db"));
    linkSync(path, join(folder, "hard.db"));
    rmSync(`${path}.lock`);
    for (const name of ["symbolic.db", "hard.db", "identity.db"]) {
      const program = `
        import { openStore } from ${JSON.stringify(join(import.meta.dir, "../open-store.ts"))};
        await openStore({ url: ${JSON.stringify(`sqlite:${join(folder, name)}`)}, node_id: "node_2" });`;
      const refused = Bun.spawnSync([process.execPath, "-e", program]);
      expect(refused.stderr.toString()).toContain("is in use by another gateway");
    }
    await store.ping();
    await store.close();
    const other = await open(`sqlite:${join(folder, "symbolic.db")}`);
    await other.close();
  });

  test("that is moved or deleted under its gateway is noticed", async () => {
    const path = join(folder, "moved.db");
    const store = await open(`sqlite:${path}`);
    await store.ping();
    renameSync(path, `${path}-elsewhere`);
    expect(String(await rejectionOf(store.ping()))).toContain("was moved or deleted while the gateway runs");
    renameSync(`${path}-elsewhere`, path);
    await store.ping();
    await store.close();
  });

  test("is opened in a folder that does not exist yet, and says where it is", async () => {
    const path = join(folder, "new", "folder", "camino.db");
    const store = await open(`sqlite:${path}`);
    expect(store.description).toBe(`sqlite ${path}`);
    await store.close();
    expect(await rejectionOf(store.ping())).toBeInstanceOf(Error);
  });

  test("may be read by its owner only, its log included", async () => {
    const path = join(folder, "private.db");
    const store = await open(`sqlite:${path}`);
    for (const file of [path, `${path}-wal`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    await store.close();
  });

  test("whose schema a newer program made incompatible is refused, with what to do", async () => {
    const path = join(folder, "newer.db");
    await (await open(`sqlite:${path}`)).close();
    const migrate = (version: number, compatible_from: number): void => {
      using database = new Database(path);
      database.run(`INSERT INTO schema_migrations VALUES (${version}, 'later', ${compatible_from}, 0, 'other')`);
    };
    migrate(1000, 1);
    await (await open(`sqlite:${path}`)).close();
    migrate(1001, 1001);
    expect(String(await rejectionOf(open(`sqlite:${path}`)))).toMatch(/schema version 1001 .*newer version/);
  });

  test("that is not a database is refused", async () => {
    const path = join(folder, "text.db");
    await Bun.write(
      path,
      "This is a text, and a long one at that: longer than the header of a database file would be.",
    );
    expect(await rejectionOf(open(`sqlite:${path}`))).toBeInstanceOf(Error);
  });
});

test("another URL is refused with those that work", async () => {
  expect(String(await rejectionOf(open("mysql://localhost/x")))).toMatch(/"sqlite:" or "postgres:\/\/"/);
});

describe("a process that is killed while it writes", () => {
  for (const acknowledged of [1, 50, 400]) {
    test(`after ${acknowledged} acknowledged settlements has lost none of them, and holds nothing`, async () => {
      const url = urlOf(`killed-${acknowledged}.db`);
      const killed = await killWhileWriting(url, acknowledged);
      const store = await open(url);
      await expectNothingLost(store, killed);
      await store.close();
    });
  }
});
