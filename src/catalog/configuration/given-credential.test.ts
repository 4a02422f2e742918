import { describe, expect, test } from "bun:test";
import type { Environment } from "../../core/environment.ts";
import { simulatorConfiguration } from "../bundled/simulated-vendor.ts";
import { type GivenCredential, vendorGiven, withGivenCredentials } from "./given-credential.ts";
import { type LoadedConfiguration, loadWithOrigins } from "./load-configuration.ts";
import { vendorStatus } from "./vendor-status.ts";

const KEY = "sk-given-0123456789";

function load(file_text: string | null, env: Environment = {}): LoadedConfiguration {
  return loadWithOrigins({ file_text, file_name: "camino.yaml", env });
}

/** The status of a vendor after the console gave a credential for it. */
function given(loaded: LoadedConfiguration, id: string, credential: GivenCredential) {
  const all = new Map([[id, credential]]);
  const current = withGivenCredentials(loaded, all);
  const status = vendorStatus({ loaded, given: all, stored: new Set(all.keys()), current }, id);
  return { current, vendor: current.vendors.get(id), status };
}

/** The simulator of a gateway for which nothing is configured. */
function firstRun(): LoadedConfiguration {
  const simulator = { base_url: "http://127.0.0.1:1/v1", models: [] };
  const simulated = simulatorConfiguration(simulator);
  const [model] = load(
    "models: { sim/echo: { price: { input: 1, output: 1 } } }\nvendors: { sim: { protocol: messages, base_url: 'http://127.0.0.1:1/v1' } }",
  ).configuration.models.values();
  const models = new Map(model === undefined ? [] : [[model.id, model]]);
  return { ...load(null), configuration: { ...simulated, models } };
}

describe("a given credential", () => {
  test("wins over the environment's, and the status shows the environment's as the alternative", () => {
    const { vendor, status } = given(load(null, { OPENAI_API_KEY: "sk-environment-00" }), "openai", { api_key: KEY });
    expect(vendor?.api_key).toBe(KEY);
    expect(status?.enabled_by).toBe("environment");
    expect(status?.credential).toMatchObject({ source: "console", variable: null });
    expect(status?.credential.otherwise).toEqual({ source: "environment", variable: "OPENAI_API_KEY" });
  });

  test("wins over the file's, and leaves the file's other settings as they are", () => {
    const file =
      "vendors: { openai: { api_key: '${THEIRS}', base_url: 'https://proxy.example/v1', headers: { x-team: a } } }";
    const { vendor, status } = given(load(file, { THEIRS: "sk-file-0123456789" }), "openai", { api_key: KEY });
    expect(vendor).toMatchObject({ api_key: KEY, headers: { "x-team": "a" } });
    expect(vendor?.endpoints[0]?.base_url).toBe("https://proxy.example/v1");
    expect(status?.credential.otherwise).toEqual({ source: "file", variable: "THEIRS" });
  });

  test("of another kind than the file's takes its place whole", () => {
    const aws = "{ access_key_id: AKIA, secret_access_key: s, region: us-east-1 }";
    const loaded = load(`vendors: { amazon-bedrock: { aws: ${aws} } }`, { AWS_REGION: "us-east-1" });
    const { vendor } = given(loaded, "amazon-bedrock", { api_key: KEY });
    expect(vendor?.aws).toBeUndefined();
    expect(vendor?.endpoints[0]?.credential).toBe("bearer");
  });

  test("brings a vendor's bundled models, but for those that the file has made its own", () => {
    const loaded = load(
      "vendors: { acme: { protocol: messages, base_url: 'https://acme.example/v1' } }\nmodels: { openai/gpt-5.5: { price: { input: 9, output: 9 }, routes: [{ vendor: acme }] } }",
    );
    const { current } = given(loaded, "openai", { api_key: KEY });
    expect([...current.models.keys()].filter((id) => id.startsWith("openai/")).length).toBeGreaterThan(5);
    expect(current.models.get("openai/gpt-5.5")?.routes[0]?.vendor).toBe("acme");
  });

  test("leaves the loaded configuration as it is", () => {
    const loaded = load(null);
    given(loaded, "openai", { api_key: KEY });
    expect(loaded.configuration.vendors.size).toBe(0);
    expect(withGivenCredentials(loaded, new Map())).toBe(loaded.configuration);
  });

  test("ends the first run as soon as it brings a model", () => {
    const loaded = firstRun();
    const kept = given(loaded, "perplexity", { api_key: KEY }).current;
    expect([...kept.vendors.keys()]).toEqual(["sim", "perplexity"]);
    const { current } = given(loaded, "openai", { api_key: KEY });
    expect([...current.vendors.keys()].sort()).toEqual(["openai", "sim"]);
    const simulated = [...current.models.values()].filter(({ id }) => id.startsWith("sim/"));
    expect(simulated.length).toBeGreaterThan(0);
    expect(new Set(simulated.map(({ unlisted }) => unlisted))).toEqual(new Set(["demo"] as const));
    expect(current.models.values().some(({ id, unlisted }) => id.startsWith("openai/") && unlisted === undefined)).toBe(
      true,
    );
  });

  test("ends the first run also where a vendor without models is configured beside the simulator", () => {
    const first = firstRun();
    const { vendors } = load(
      "vendors: { acme: { protocol: messages, base_url: 'https://acme.example/v1' } }",
    ).configuration;
    const beside = new Map([...first.configuration.vendors, ...vendors]);
    const loaded = { ...first, configuration: { ...first.configuration, vendors: beside } };
    const { current } = given(loaded, "openai", { api_key: KEY });
    expect(current.models.get("sim/echo")?.unlisted).toBe("demo");
    expect([...current.models.values()].filter(({ unlisted }) => unlisted === "demo").length).toBe(1);
  });

  const refused: [what: string, loaded: LoadedConfiguration, id: string, said: string][] = [
    ["a vendor that is not offered", load("catalog: none"), "openai", "catalog: none"],
    ["a vendor that nobody knows", load(null), "acme", "no vendor 'acme'"],
    ["a server without an address", load(null), "vllm", "say first where it listens"],
    ["an address with a gap", load(null), "azure", "AZURE_RESOURCE_NAME"],
    ["the simulator", firstRun(), "sim", "no credential"],
  ];
  for (const [what, loaded, id, said] of refused) {
    test(`does not do for ${what}, which stays as it was`, () => {
      const vendor = vendorGiven(loaded, id, { api_key: KEY });
      expect("problem" in vendor ? vendor.problem : "").toContain(said);
      expect(given(loaded, id, { api_key: KEY }).vendor).toEqual(loaded.configuration.vendors.get(id));
    });
  }

  test("reaches a local server that the environment tells of", () => {
    const { vendor } = given(load(null, { VLLM_BASE_URL: "gpu-box:9000" }), "vllm", { api_key: KEY });
    expect(vendor?.api_key).toBe(KEY);
    expect(vendor?.endpoints[0]?.base_url).toBe("http://gpu-box:9000/v1");
  });
});
