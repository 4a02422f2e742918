import { describe, expect, test } from "bun:test";
import { loadConfiguration, tryLoad } from "../configuration/load-configuration.ts";
import { formatProblem } from "./problem.ts";

function load(file_text: string, env: Record<string, string> = {}) {
  return loadConfiguration({ file_text, file_name: "camino.yaml", env }).telemetry;
}

const problemsOf = (file_text: string, env: Record<string, string>) =>
  tryLoad({ file_text, file_name: "camino.yaml", env }).problems.map(formatProblem).join("\n");

const ENDPOINT = "http://127.0.0.1:4318";
const DEFAULTS = {
  ...{ endpoint: ENDPOINT, headers: {}, service_name: "camino", traces: { share: 1, follows_caller: true } },
  ...{ metrics: true, logs: false, forward_traceparent: false, conventions: "latest" as const },
};

describe("telemetry", () => {
  const CASES: readonly [promise: string, text: string, env: Record<string, string>, read: object | undefined][] = [
    ["is off where nothing says so", "", {}, undefined],
    ["needs an address alone", `telemetry: { otlp: { endpoint: "${ENDPOINT}/" } }`, {}, DEFAULTS],
    ["is switched on by the environment alone", "", { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, DEFAULTS],
    [
      "is switched off by the environment",
      `telemetry: { otlp: { endpoint: "${ENDPOINT}" } }`,
      { OTEL_SDK_DISABLED: "true" },
      undefined,
    ],
    [
      "reads all that the file says",
      `telemetry:
  otlp:
    endpoint: "${ENDPOINT}/otel"
    headers: { Authorization: "\${OTLP_AUTH}" }
    service_name: models
    traces: { sample: 0.1 }
    metrics: false
    logs: true
    forward_traceparent: true
    conventions: "1.36"`,
      { OTLP_AUTH: "Bearer s3cret" },
      {
        ...{ endpoint: `${ENDPOINT}/otel`, headers: { authorization: "Bearer s3cret" }, service_name: "models" },
        ...{ traces: { share: 0.1, follows_caller: true }, metrics: false, logs: true, forward_traceparent: true },
        conventions: "1.36",
      },
    ],
    [
      "sends no traces where the file says so",
      `telemetry: { otlp: { endpoint: "${ENDPOINT}", traces: false } }`,
      {},
      { ...DEFAULTS, traces: null },
    ],
    [
      "takes the environment before the file",
      `telemetry: { otlp: { endpoint: "http://other:4318", headers: { a: b }, service_name: x, traces: { sample: 1 } } }`,
      {
        ...{
          OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
          OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi, X-Key = 1",
        },
        ...{ OTEL_SERVICE_NAME: "models", OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" },
      },
      {
        ...{ ...DEFAULTS, headers: { authorization: "Basic YTpi", "x-key": "1" }, service_name: "models" },
        traces: { share: 0.25, follows_caller: false },
      },
    ],
  ];
  test.each(CASES)("%s", (_promise, text, env, read) => {
    expect(load(text, env)).toEqual(read as ReturnType<typeof load>);
  });

  const WRONG: readonly [promise: string, text: string, env: Record<string, string>, told: RegExp][] = [
    ["needs an address", "telemetry: { otlp: { logs: true } }", {}, /telemetry\.otlp\.endpoint/],
    ["knows HTTP alone", `telemetry: { otlp: { endpoint: "grpc://h:4317" } }`, {}, /telemetry\.otlp\.endpoint/],
    ["knows HTTP alone in the environment", "", { OTEL_EXPORTER_OTLP_ENDPOINT: "host:4317" }, /OTLP_ENDPOINT/],
    [
      "knows shares",
      `telemetry: { otlp: { endpoint: "${ENDPOINT}", traces: { sample: 2 } } }`,
      {},
      /traces\.sample.*share/,
    ],
    [
      "knows samplers",
      "",
      { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_SAMPLER: "jaeger_remote" },
      /OTEL_TRACES_SAMPLER.*parentbased_traceidratio/,
    ],
    [
      "does not show headers",
      "",
      { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "s3cret" },
      /OTLP_HEADERS(?!.*s3cret)/,
    ],
  ];
  test.each(WRONG)("%s", (_promise, text, env, told) => {
    expect(problemsOf(text, env).replaceAll("\n", " ")).toMatch(told);
  });
});
