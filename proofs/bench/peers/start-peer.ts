import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { installClient, versionOf } from "../../clients/install.ts";
import type { Candidate } from "../candidates.ts";
import type { Peer } from "./peer.ts";

/** Outside the project: nobody gets these packages who does not ask for them. */
const CACHE = process.env.CAMINO_BENCH_CACHE ?? join(homedir(), ".cache/camino-bench");

/** Fetches a peer if it is not there yet, and starts it. Rejects with the installer's or the peer's own words. */
export async function startPeer(peer: Peer, vendor_url: string, bench_folder: string): Promise<Candidate> {
  console.error(`${peer.id} ${versionOf(peer)} is fetched unless it is in ${CACHE}`);
  const installed = await installClient(peer, CACHE);
  const folder = join(bench_folder, peer.id);
  await mkdir(folder);
  const { id, translates, share } = peer;
  const started = await peer.start({ bin: installed.bin, installed: installed.folder, vendor_url, folder });
  return { ...started, name: id, translates, share };
}
