import { describe, expect, test } from "bun:test";
import { asksForSimulator, loadConfiguration } from "./load-configuration.ts";
import { type Simulator, simulatorConfiguration } from "./simulated-vendor.ts";

const simulator: Simulator = {
  base_url: "http://127.0.0.1:8800/v1",
  models: [
    {
      id: "echo",
      display_name: "Simulated echo",
      capabilities: { streaming: true, tools: false, json: false, vision: false, thinking: false },
      context_length: 1_000_000,
      max_completion_tokens: 64_000,
      input_modalities: ["text"],
      output_modalities: ["text"],
      price: { input: "1.00", output: "4.00", cache_read: "0.10", cache_write: "1.25" },
    },
  ],
};

describe("the first run", () => {
  const { vendors, models, currency } = simulatorConfiguration(simulator);

  test("has the simulator in all three protocols, and nothing else", () => {
    expect(currency).toBe("USD");
    expect([...vendors.keys()]).toEqual(["sim"]);
    expect(vendors.get("sim")).toMatchObject({
      api_key: null,
      endpoints: [
        { protocol: "chat-completions", base_url: simulator.base_url },
        { protocol: "responses", base_url: simulator.base_url },
        { protocol: "messages", base_url: simulator.base_url },
      ],
    });
  });

  test("has the simulator's models with their prices", () => {
    expect([...models.keys()]).toEqual(["sim/echo"]);
    expect(models.get("sim/echo")).toMatchObject({
      kind: "chat",
      routes: [{ vendor: "sim", upstream_model: "echo", weight: 1 }],
      prices: [
        {
          input_micro_per_mtok: 1_000_000,
          output_micro_per_mtok: 4_000_000,
          cache_read_micro_per_mtok: 100_000,
          cache_write_micro_per_mtok: 1_250_000,
        },
      ],
    });
  });
});

describe("a file that names the vendor sim", () => {
  const text =
    "vendors: { sim: {} }\nmodels: { sim/slower: { upstream_model: slow@ms=50, price: { input: 1, output: 1 } } }";
  const load = (file_text: string, running?: Simulator) =>
    loadConfiguration({ file_text, file_name: "camino.yaml", env: {}, ...(running ? { simulator: running } : {}) });

  test("asks for the built-in simulator, unless it says where another one is", () => {
    expect(asksForSimulator(text)).toBe(true);
    expect(asksForSimulator("vendors:\n  sim:\n")).toBe(true);
    expect(asksForSimulator("vendors: { sim: { base_url: http://127.0.0.1:1/v1 } }")).toBe(false);
    expect(asksForSimulator("vendors: { acme: {} }")).toBe(false);
    expect(asksForSimulator("vendors: [")).toBe(false);
    expect(asksForSimulator("")).toBe(false);
  });

  test("gets its models beside the file's own", () => {
    expect([...load(text, simulator).models.keys()]).toEqual(["sim/slower", "sim/echo"]);
    expect(load(text, simulator).models.get("sim/slower")?.routes[0]?.upstream_model).toBe("slow@ms=50");
  });

  test("and no file that does not name it gets them", () => {
    expect(load("limits: {}", simulator).models.size).toBe(0);
  });

  test("is a vendor like any other where no simulator runs", () => {
    expect(() => load("vendors: { sim: {} }")).toThrow("vendors.sim.protocol: found nothing");
  });
});
