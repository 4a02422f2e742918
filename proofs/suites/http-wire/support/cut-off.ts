import { readFile } from "node:fs/promises";
import { eventually } from "../../failures/support/scene.ts";
import type { WireClient } from "./wire-client.ts";

/** How the system's table of connections names one that both sides have. */
const ESTABLISHED = "01";
/** Where there is no such table, so long: four times what the gateway waits for a client that does not read. */
const WITHOUT_TABLE_MS = 4000;

/** Resolves when the server has ended its side of a client's connection. A client that does not read cannot see that by itself. */
export async function untilCutOff(client: WireClient, url: string): Promise<void> {
  const [ours, theirs] = [portOf(Number(new URL(url).port)), portOf(client.local_port)];
  const open = new RegExp(`:${ours} [0-9A-F]+:${theirs} ${ESTABLISHED} `);
  if ((await connections()) === null) return await Bun.sleep(WITHOUT_TABLE_MS);
  await eventually("the end of the connection's side at the gateway", async () =>
    open.test((await connections()) ?? "") ? null : true,
  );
}

function portOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

/** Linux's table; null elsewhere. */
async function connections(): Promise<string | null> {
  return await readFile("/proc/net/tcp", "latin1").catch(() => null);
}
