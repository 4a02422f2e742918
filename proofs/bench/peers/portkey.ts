import { join } from "node:path";
import { BUN, freePort, start, waitFor } from "../programs.ts";
import type { Peer, PeerWorld, StartedPeer } from "./peer.ts";

/**
 * Portkey's open gateway. It knows no keys of its own, and takes the vendor's address and credential from each request. It runs on
 * Bun, which is one of its ways to start: on Node 20 its streams end with an error.
 */
export const portkey: Peer = {
  id: "portkey",
  install: { from: "npm", packages: { "@portkey-ai/gateway": "1.15.2" } },
  does: "no keys, limits or accounting; the vendor's address and credential come with each call",
  translates: false,
  share: 0.1,
  start: startPortkey,
};

async function startPortkey({ installed, vendor_url, folder }: PeerWorld): Promise<StartedPeer> {
  const port = freePort();
  const script = join(installed, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const trusted = { TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost" };
  const program = start([BUN, script, `--port=${port}`, "--headless"], join(folder, "log"), trusted);
  const origin = `http://127.0.0.1:${port}`;
  await waitFor("portkey", program, async () => ((await fetch(origin)).ok ? true : null));
  return {
    ...{ url: `${origin}/v1`, key: "vendor-key", prefix: "", program },
    headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": vendor_url },
  };
}
