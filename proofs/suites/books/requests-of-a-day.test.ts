import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { MS_PER_DAY } from "../../../src/core/clock.ts";
import { requestIdsFrom } from "../../../src/core/ids.ts";
import type { RequestPage, RequestQuery, Store } from "../../../src/core/store/ports.ts";
import { SCANNED_AT_MOST } from "../../../src/store/accounts/requests.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { fill } from "../../fill/fill.ts";
import { freshDatabase } from "../../support/postgres.ts";

const DAYS = 40;
const REQUESTS = 400;
/** The middle of the history, some ten requests a day. */
const OLD_DAY_MS = Date.now() - 20 * MS_PER_DAY;
const OLD_DAY = { from_ms: OLD_DAY_MS, to_ms: OLD_DAY_MS + MS_PER_DAY } as const;

for (const kind of ["sqlite", "postgres"] as const) {
  describe(`requests of all accounts of a day, on ${kind}`, () => {
    let folder = "";
    let url = "";
    let store: Store;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "camino-ids-"));
      url = kind === "sqlite" ? `sqlite:${join(folder, "camino.db")}` : await freshDatabase();
      const options = { accounts: 3, days: DAYS, seed: 3, at_once: 1000, in_two_steps: false, with_tags: false };
      await fill({ ...options, database: url, requests: REQUESTS }, () => {});
      await past(copiesOfNewest(SCANNED_AT_MOST));
      store = await openStore({ url, node_id: "node_test" });
    }, 120_000);
    afterAll(async () => {
      await store?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const list = (query: Partial<RequestQuery>): Promise<RequestPage> =>
      store.accounts.listRequests({ account_id: null, limit: 200, ...query });

    /** Runs statements past the store, which is opened anew where it was open. */
    const past = async (...statements: string[]): Promise<void> => {
      if (kind === "sqlite") {
        const is_open = store !== undefined;
        if (is_open) await store.close();
        using database = new Database(url.slice("sqlite:".length));
        for (const text of ["PRAGMA recursive_triggers = OFF", ...statements]) database.run(text);
        if (is_open) store = await openStore({ url, node_id: "node_test" });
        return;
      }
      const sql = new SQL(url, { max: 1 });
      await sql.unsafe("SET session_replication_role = replica");
      for (const text of statements) await sql.unsafe(text);
      await sql.close();
    };

    /** An ended request changes for nobody but a test, past the laws of the books. */
    const move = (id: string, change: string): Promise<void> =>
      kind === "sqlite"
        ? past("DROP TRIGGER IF EXISTS requests_end_once", `UPDATE requests SET ${change} WHERE id = '${id}'`)
        : past(`UPDATE requests SET ${change} WHERE id = '${id}'`);

    test("are found behind more newer ones than a page looks through, all of them and no others", async () => {
      const page = await list(OLD_DAY);
      expect(page).toMatchObject({ next_before: null, searched_back_to_ms: null });
      expect(page.requests.length).toBeGreaterThan(5);
      const account_ids = [...new Set(page.requests.map(({ account_id }) => account_id))];
      const of_accounts = await Promise.all(account_ids.map((account_id) => list({ ...OLD_DAY, account_id })));
      const expected = of_accounts.flatMap(({ requests }) => requests.map(({ id }) => id));
      expect(page.requests.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
      expect((await list({ ...OLD_DAY, limit: 3 })).requests).toEqual([...page.requests.slice(0, 3)]);
      const [, , third] = page.requests;
      expect((await list({ ...OLD_DAY, before_id: third?.id ?? "" })).requests).toEqual([...page.requests.slice(3)]);
      const { from_ms, to_ms } = OLD_DAY;
      expect((await list({ to_ms })).requests.slice(0, page.requests.length)).toEqual([...page.requests]);
      expect((await list({ from_ms, to_ms, outcome: "failed" })).requests).toEqual(
        page.requests.filter(({ outcome }) => outcome === "failed"),
      );
    });

    test("are found also where an id is an hour off, and looked for one by one where ids are no time", async () => {
      const before = (await list(OLD_DAY)).requests;
      const [newest] = before;
      const late_id = `${requestIdsFrom(OLD_DAY.to_ms + 3_000_000)}00000000000000`;
      await move(newest?.id ?? "", `id = '${late_id}'`);
      expect((await list(OLD_DAY)).requests.map(({ id }) => id)).toEqual([
        late_id,
        ...before.slice(1).map(({ id }) => id),
      ]);
      // A clock that was wrong by a day: the row beyond the end is not as old as its id says.
      const wrong_id = `${requestIdsFrom(OLD_DAY.to_ms + 3_700_000)}00000000000000`;
      await move(late_id, `id = '${wrong_id}'`);
      const page = await list(OLD_DAY);
      expect(page.searched_back_to_ms).toEqual(expect.any(Number));
      const rest = await list({ ...OLD_DAY, before_id: page.next_before ?? "" });
      expect(rest.requests.map(({ id }) => id)).toEqual([wrong_id, ...before.slice(1).map(({ id }) => id)]);
      // Ids without a time sort behind all that have one.
      await move(wrong_id, `id = 'req_zzzzzzzzzzzzzzzzzzzzzz'`);
      const first = await list(OLD_DAY);
      expect(first.requests.map(({ id }) => id)).toEqual(["req_zzzzzzzzzzzzzzzzzzzzzz"]);
      const more = await list({ ...OLD_DAY, before_id: first.next_before ?? "" });
      expect(more.requests.map(({ id }) => id)).toEqual(before.slice(1).map(({ id }) => id));
    });
  });
}

/** Requests of today, as many as a page of a list looks through. */
function copiesOfNewest(count: number): string {
  const columns = `account_id, key_id, endpoint_no, requested_model, model_no, price_no, status, node_id, created_ms, deadline_ms,
    hold_micro, attempts, ended_ms`;
  return `WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${count})
    INSERT INTO requests (id, ${columns}) SELECT newest.id || n, ${columns.replace("status", "'voided'")}
      FROM (SELECT * FROM requests ORDER BY id DESC LIMIT 1) AS newest, copies`;
}
