import { join } from "node:path";
import { PLAIN } from "../drive.ts";
import { MODELS } from "../exchange.ts";
import { freePort, start, waitFor } from "../programs.ts";
import type { Peer, PeerWorld, StartedPeer } from "./peer.ts";

const KEY = "sk-bench-0123456789abcdef";

/** LiteLLM's proxy, one worker, without a database: it fetches one's engine from a site that is no registry. */
export const litellm: Peer = {
  id: "litellm",
  install: { from: "pypi", packages: { "litellm[proxy]": "1.106.2" }, python: "3.11" },
  does: "one key; no database, so no budgets and nothing is kept; counts cost in memory",
  translates: true,
  share: 0.01,
  start: startLitellm,
};

async function startLitellm({ bin, vendor_url, folder }: PeerWorld): Promise<StartedPeer> {
  const port = freePort();
  const config = join(folder, "config.yaml");
  await Bun.write(config, configuration(vendor_url));
  const options = ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--num_workers", "1"];
  const program = start([bin("litellm"), ...options], join(folder, "log"), {
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    LITELLM_TELEMETRY: "False",
    LITELLM_LOG: "ERROR",
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitFor(
    "litellm",
    program,
    async () => ((await fetch(`${origin}/health/liveliness`)).ok ? true : null),
    120_000,
  );
  return { ...PLAIN, url: `${origin}/v1`, key: KEY, program };
}

function configuration(vendor_url: string): string {
  const price = { input_cost_per_token: 1e-6, output_cost_per_token: 4e-6 };
  return Bun.YAML.stringify(
    {
      model_list: MODELS.map((model) => ({
        model_name: `bench/${model}`,
        litellm_params: { model: `openai/${model}`, api_base: vendor_url, api_key: "vendor-key", ...price },
      })),
      general_settings: { master_key: KEY },
      litellm_settings: { telemetry: false, use_chat_completions_url_for_anthropic_messages: true },
    },
    null,
    2,
  );
}
