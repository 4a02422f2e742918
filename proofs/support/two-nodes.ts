import { SQL } from "bun";
import { newId } from "../../src/core/ids.ts";
import { openStore } from "../../src/store/open-store.ts";
import { Customer, newCustomer, type TestDatabase } from "../../src/store/suite/books.ts";

/** Two gateways' stores that draw on one wallet of a PostgreSQL database, and each of which knows of the other. */
export interface TwoNodes extends AsyncDisposable {
  /** The customer as the first node sees it, and as the second. */
  readonly one: Customer;
  readonly two: Customer;
  /** The running requests by which the nodes know of each other. */
  readonly running: { readonly one: string; readonly two: string };
  readonly raw: SQL;
  /** Makes the flush behind a batch fail: the next one, of whichever node. */
  trap(deed: Deed): Promise<void>;
  /** Each node looks for others, as it does every few seconds. */
  sweep(): Promise<void>;
}

/** An SQLSTATE with which the flush is refused, or for how long it takes. */
export type Deed = `${string}${string}` | { readonly sleep_s: number };

/**
 * The second transaction of a batch that gives its locks back early (docs/adr/0051) calls a function of the server's. This one is found before
 * it: it counts, does what the trap says, and goes on to the server's.
 */
const TRAP = [
  "CREATE SEQUENCE flushes",
  "CREATE TABLE traps (at BIGINT PRIMARY KEY, state TEXT, sleep_s DOUBLE PRECISION)",
  `CREATE FUNCTION pg_logical_emit_message(transactional boolean, prefix text, content text) RETURNS pg_lsn LANGUAGE plpgsql AS $$
    DECLARE caught traps; flush bigint := nextval('flushes');
    BEGIN
      SELECT * INTO caught FROM traps WHERE at = flush;
      IF caught.sleep_s IS NOT NULL THEN PERFORM pg_sleep(caught.sleep_s); END IF;
      IF caught.state IS NOT NULL THEN RAISE EXCEPTION 'the second transaction is refused' USING ERRCODE = caught.state; END IF;
      RETURN pg_catalog.pg_logical_emit_message(transactional, prefix, content);
    END $$`,
];

/** `urls` are where each node reaches the database, which is empty. */
export async function twoNodes(url: string, urls: readonly [string, string] = [url, url]): Promise<TwoNodes> {
  const raw = new SQL(url, { max: 1 });
  await raw.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`);
  for (const statement of TRAP) await raw.unsafe(statement);
  const open = async (at: string): Promise<TestDatabase> => {
    const node_id = newId("node");
    const store = await openStore({ url: at, node_id });
    const close = (): Promise<void> => store.close();
    return { store, node_id, execute: (text) => raw.unsafe(text), crash: close, close };
  };
  const nodes = [await open(urls[0]), await open(urls[1])] as const;
  const one = await newCustomer(nodes[0], 1_000_000);
  const two = new Customer(nodes[1], one.account, one.key);
  const running = { one: await one.hold(), two: await two.hold() };
  const sweep = async (): Promise<void> => {
    for (const { store, node_id } of nodes) await store.ledger.sweep(node_id, () => "running");
  };
  await sweep();
  return {
    ...{ one, two, running, raw, sweep },
    async trap(deed) {
      const [state, sleep_s] = typeof deed === "string" ? [deed, null] : [null, deed.sleep_s];
      await raw.unsafe("INSERT INTO traps SELECT last_value + 1, $1, $2 FROM flushes", [state, sleep_s]);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...nodes.map((node) => node.close()), raw.close()]);
    },
  };
}
