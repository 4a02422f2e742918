import { describe, expect, test } from "bun:test";
import { asksForSimulator, loadConfiguration } from "../configuration/load-configuration.ts";
import { type Simulator, simulatedModels, simulatorConfiguration } from "./simulated-vendor.ts";

const simulator: Simulator = {
  base_url: "http://127.0.0.1:8800/v1",
  models: [
    {
      id: "echo",
      display_name: "Simulated echo",
      kind: "chat",
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

  test("has the simulator in all its protocols, and nothing else", () => {
    expect(currency).toBe("USD");
    expect([...vendors.keys()]).toEqual(["sim"]);
    expect(vendors.get("sim")).toMatchObject({
      api_key: null,
      endpoints: [
        { protocol: "chat-completions", base_url: simulator.base_url },
        { protocol: "responses", base_url: simulator.base_url },
        { protocol: "messages", base_url: simulator.base_url },
        { protocol: "rerank", base_url: simulator.base_url },
        { protocol: "decisions", base_url: simulator.base_url },
        { protocol: "systemone", base_url: simulator.base_url },
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

describe("the simulator's decision models", () => {
  const [echo] = simulator.models;
  if (echo === undefined) throw new Error("the table has a model");
  const models = simulatedModels([
    { ...echo, id: "judge" },
    { ...echo, id: "decider", kind: "decision" },
  ]);
  const find = (id: string) => models.find((model) => model.id === id);

  test("cost nothing for output, and go to the simulator", () => {
    expect(find("sim/decider")).toMatchObject({
      kind: "decision",
      routes: [{ vendor: "sim", upstream_model: "decider" }],
      prices: [{ input_micro_per_mtok: 1_000_000, output_micro_per_mtok: 0 }],
    });
  });

  test("include a decision model that the gateway's engine makes of the judge", () => {
    expect(find("sim/judge-decider")).toMatchObject({
      kind: "decision",
      routes: [],
      decide_with: { engine: "logprobs", model: "sim/judge", debias: "all", min_label_mass: 0.05, calibration: null },
    });
    expect(simulatedModels(simulator.models).map(({ id }) => id)).toEqual(["sim/echo"]);
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

  test("is the only one that gets the simulator's models", () => {
    expect(load("limits: {}", simulator).models.size).toBe(0);
  });

  test("is a vendor like any other where no simulator runs", () => {
    expect(() => load("vendors: { sim: {} }")).toThrow("vendors.sim.protocol: found nothing");
  });
});
