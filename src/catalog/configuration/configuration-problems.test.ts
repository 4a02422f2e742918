import { describe, expect, test } from "bun:test";
import { ConfigurationError, type Problem } from "../reading/problem.ts";
import { loadConfiguration } from "./load-configuration.ts";

/** A sound file; each case adds lines to it or replaces one of them. Line 1 is `vendors:`. */
const LINES = [
  "vendors:",
  "  acme:",
  "    protocol: chat-completions",
  "    base_url: https://api.acme.example/v1",
  "    api_key: sk-secret",
  "models:",
  "  acme/one:",
  "    price: { input: 3.00, output: 15.00 }",
  "  acme/two:",
  "    price: { input: 1, output: 2 }",
];

function problemsOf(text: string, env: Record<string, string> = {}): readonly Problem[] {
  try {
    loadConfiguration({ file_text: text, file_name: "camino.yaml", env });
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown.problems;
    throw thrown;
  }
  return [];
}

/** The sound file with these lines put in after a line. */
function withLines(after: number, lines: readonly string[]): string {
  return LINES.toSpliced(after, 0, ...lines).join("\n");
}

function withLine(line: number, text: string): string {
  return LINES.with(line - 1, text).join("\n");
}

function decideWith(setting: string): string {
  return withLine(8, `    { decide_with: { engine: logprobs, model: acme/two, ${setting} }, price: { input: 1 } }`);
}

interface Case {
  readonly text: string;
  /** The line and the path of the problem, with a space between; of both problems where one mistake causes two. */
  readonly place: string | readonly [string, string];
  readonly found: string;
  readonly allowed: string;
}

const at = (text: string, place: Case["place"], found: string, allowed: string): Case => ({
  text,
  place,
  found,
  allowed,
});

const price = (text: string) => withLine(8, `    price: ${text}`);
const PRICE_RULE = "a decimal of at least 0, such as 3.00";

const CASES: Readonly<Record<string, Case>> = {
  "a file that is no map": at("- a\n- b", "1 ", "a list", "a map with currency, catalog"),
  "broken YAML": at("vendors: [1,\nmodels: {}", "2 ", "must be sufficiently indented", "valid YAML"),
  "an unknown key": at(
    withLines(0, ["vendor: {}"]),
    "1 vendor",
    'the unknown key "vendor" (did you mean "vendors"?)',
    "currency",
  ),
  "a key in another style": at(
    withLine(4, "    baseUrl: https://x.example/v1"),
    "4 vendors.acme.baseUrl",
    '(did you mean "base_url"?)',
    "base_url",
  ),
  "a key twice": at(
    withLines(4, ["    base_url: https://other.example"]),
    "5 vendors.acme.base_url",
    "a second time (first in line 4)",
    "each key once",
  ),
  "a model twice": at(
    withLine(9, "  acme/one:"),
    "9 models.acme/one",
    "a second time (first in line 7)",
    "each key once",
  ),
  "a key that is no text": at(withLines(0, ["[a, b]: 1"]), "1 ?", "a key that is a map or a list", "a plain text"),
  "no currency": at(withLines(0, ["currency: dollars"]), "1 currency", '"dollars"', "ISO 4217"),
  "a currency that does not exist": at(withLines(0, ["currency: XQZ"]), "1 currency", '"XQZ"', "ISO 4217"),
  "the bundled catalog in another currency": at(
    withLines(0, ["currency: EUR", "catalog: bundled"]),
    "2 catalog",
    "in USD and not in EUR",
    "none",
  ),
  "another catalogue": at(withLines(0, ["catalog: all"]), "1 catalog", '"all"', "bundled, none"),

  "an unset variable": at(
    withLine(5, "    api_key: ${ACME_API_KEY}"),
    "5 vendors.acme.api_key",
    "${ACME_API_KEY}, which is not set",
    "ACME_API_KEY=…",
  ),
  "a malformed variable": at(
    withLine(5, "    api_key: ${ACME-KEY}"),
    "5 vendors.acme.api_key",
    '"${ACME-KEY}"',
    "${NAME}",
  ),
  "no protocol": at(withLine(3, "    name: Acme"), "2 vendors.acme.protocol", "nothing", "chat-completions, responses"),
  "an unknown protocol": at(
    withLine(3, "    protocol: openai"),
    "3 vendors.acme.protocol",
    '"openai"',
    "messages, gemini",
  ),
  "a protocol twice": at(
    withLine(3, "    protocol: [messages, messages]"),
    "3 vendors.acme.protocol",
    "messages, messages",
    "each protocol once",
  ),
  "no protocol in the list": at(
    withLine(3, "    protocol: []"),
    "3 vendors.acme.protocol",
    "an empty list",
    "chat-completions",
  ),
  "an issuer that nobody is": at(
    withLines(4, ["    issuer: Antropic"]),
    "5 vendors.acme.issuer",
    'the unknown vendor "Antropic" (did you mean "anthropic"?)',
    "the id of the vendor whose signatures these are",
  ),
  "no address": at(withLine(4, "    name: Acme"), "2 vendors.acme.base_url", "nothing", "chat-completions"),
  "an address that is none": at(
    withLine(4, "    base_url: api.acme.example"),
    "4 vendors.acme.base_url",
    '"api.acme.example"',
    "an http or https address",
  ),
  "an address of another kind": at(
    withLine(4, "    base_url: ftp://acme.example/v1"),
    "4 vendors.acme.base_url",
    "ftp:",
    "an http or https address",
  ),
  "an address with a query": at(
    withLine(4, "    base_url: https://acme.example/v1?a=1"),
    "4 vendors.acme.base_url",
    "?a=1",
    "without ? and #",
  ),
  "an address for an unknown protocol": at(
    withLine(4, "    base_url: { chat: https://acme.example }"),
    ["4 vendors.acme.base_url.chat", "4 vendors.acme.base_url.chat-completions"],
    'the unknown key "chat"',
    "chat-completions",
  ),
  "a protocol without its address": at(
    withLine(4, "    base_url: { messages: https://acme.example/v1 }"),
    ["4 vendors.acme.base_url.messages", "4 vendors.acme.base_url.chat-completions"],
    "which the vendor's protocol does not list",
    "chat-completions",
  ),
  "an address too many": at(
    withLine(4, "    base_url: { chat-completions: https://acme.example/v1, messages: https://acme.example/v1 }"),
    "4 vendors.acme.base_url.messages",
    "which the vendor's protocol does not list",
    "chat-completions",
  ),
  "a header that is none": at(
    withLines(5, ['    headers: { "x y": 1 }']),
    "6 vendors.acme.headers.x y",
    '"x y"',
    "a header's name",
  ),
  "a header in two lines": at(
    withLines(5, ['    headers: { x: "a\\nb" }']),
    "6 vendors.acme.headers.x",
    "a line break",
    "in one line",
  ),
  "a header that latin1 does not have": at(
    withLines(5, ['    headers: { x: "漢" }']),
    "6 vendors.acme.headers.x",
    "a character that no header can carry",
    "in one line",
  ),
  "a credential that no header can carry": at(
    withLine(5, "    api_key: sk-漢"),
    "5 vendors.acme.api_key",
    "a character that no header can carry",
    "such as ${ACME_API_KEY}",
  ),
  "a text with half of a character": at(
    withLine(8, '    { upstream_model: "one\\ud800", price: { input: 1, output: 2 } }'),
    "8 models.acme/one.upstream_model",
    "a NUL, or half of a character",
    "a text",
  ),
  "a text with a NUL": at(
    withLine(8, '    { display_name: "One\\0", price: { input: 1, output: 2 } }'),
    "8 models.acme/one.display_name",
    "a NUL, or half of a character",
    "a text",
  ),
  "a duration without unit": at(
    withLines(5, ["    timeouts: { connect: 3 }"]),
    "6 vendors.acme.timeouts.connect",
    '"3"',
    "500ms, 3s",
  ),
  "a duration of nothing": at(
    withLines(5, ["    timeouts: { idle: 0s }"]),
    "6 vendors.acme.timeouts.idle",
    '"0s"',
    "500ms, 3s",
  ),
  "a negative duration": at(
    withLines(5, ["    timeouts: { total: -1m }"]),
    "6 vendors.acme.timeouts.total",
    '"-1m"',
    "500ms, 3s",
  ),
  "an unknown timeout": at(
    withLines(5, ["    timeouts: { read: 3s }"]),
    "6 vendors.acme.timeouts.read",
    "the unknown key",
    "connect, first_byte",
  ),
  "another way to disconnect": at(
    withLines(5, ["    on_disconnect: close"]),
    "6 vendors.acme.on_disconnect",
    '"close"',
    "auto, abort, drain",
  ),
  "no boolean": at(
    withLines(5, ["    forwards_safety_identifier: yes"]),
    "6 vendors.acme.forwards_safety_identifier",
    '"yes"',
    "true or false",
  ),
  "a vendor's id": at(
    LINES.slice(0, 5).with(1, "  acme ai:").join("\n"),
    "2 vendors.acme ai",
    '"acme ai"',
    "an id of letters",
  ),
  "a known vendor without credential": at(
    "vendors:\n  openai: {}",
    "2 vendors.openai.api_key",
    "nothing",
    "OPENAI_API_KEY set in the environment",
  ),
  "a known vendor without its address": at(
    "vendors:\n  azure: { api_key: k }",
    "2 vendors.azure.base_url",
    "nothing",
    "AZURE_RESOURCE_NAME set",
  ),

  "a model id without vendor": at(withLine(7, "  one:"), "7 models.one", '"one"', "<vendor>/<short name>"),
  "no price": at(
    withLine(8, "    kind: chat"),
    "7 models.acme/one.price",
    "nothing",
    "a model without a price is not callable",
  ),
  "an empty model": at(withLine(8, ""), "7 models.acme/one.price", "nothing", "a model without a price"),
  "no input price": at(
    price("{ output: 1 }"),
    "8 models.acme/one.price.input",
    "nothing",
    "the price of a million input tokens",
  ),
  "no output price": at(
    price("{ input: 1 }"),
    "8 models.acme/one.price.output",
    "nothing",
    "the price of a million output tokens",
  ),
  "a negative price": at(price("{ input: -3, output: 1 }"), "8 models.acme/one.price.input", '"-3"', PRICE_RULE),
  "a price in words": at(price("{ input: $3, output: 1 }"), "8 models.acme/one.price.input", '"$3"', PRICE_RULE),
  "a price beyond reason": at(
    price("{ input: 1e10, output: 1 }"),
    "8 models.acme/one.price.input",
    '"1e10"',
    PRICE_RULE,
  ),
  "a price by characters of a model that does not speak": at(
    price("{ input: 1, output: 1, input_characters: 15 }"),
    "8 models.acme/one.price.input_characters",
    '"15"',
    "nothing: the kind of this model is charged by tokens",
  ),
  "a ranking with a price of output, on a vendor that does not rank": at(
    withLine(8, "    { kind: rerank, price: { input: 1, output: 2 } }"),
    ["7 models.acme/one", "8 models.acme/one.price.output"],
    'the vendor "acme"',
    "a vendor with the protocol rerank",
  ),
  "a dialect of a vendor that does not rank": at(
    withLines(2, ["    dialect: tei"]),
    "3 vendors.acme.dialect",
    '"tei"',
    "nothing: only vendors with the protocol rerank have a dialect",
  ),
  "a price by characters and by tokens": at(
    withLine(8, "    { kind: speech, price: { input: 1, input_characters: 15 } }"),
    "8 models.acme/one.price.input",
    '"1"',
    "0 or nothing: a price is by tokens or by another unit",
  ),
  "a tool that has no class": at(
    price("{ input: 1, output: 1, calls: { web_serch: 10 } }"),
    "8 models.acme/one.price.calls.web_serch",
    '(did you mean "web_search"?)',
    "web_search, file_search",
  ),
  "a price list without its output": at(
    price("{ input: 1, output: 1, service_tiers: { priority: { input: 2 } } }"),
    "8 models.acme/one.price.service_tiers.priority.output",
    "nothing",
    "the price of a million output tokens",
  ),
  "a price list with a name that is none": at(
    price("{ input: 1, output: 1, speeds: { Very Fast: { input: 2, output: 2 } } }"),
    "8 models.acme/one.price.speeds.Very Fast",
    'the name "Very Fast"',
    "a name of a-z 0-9 _ -",
  ),
  "a residency for nothing": at(
    price("{ input: 1, output: 1, residency: { us: 0 } }"),
    "8 models.acme/one.price.residency.us",
    '"0"',
    "a decimal above 0 and at most 100",
  ),
  "audio of a decision": at(
    withLine(
      8,
      "    { kind: decision, decide_with: { engine: logprobs, model: acme/two }, price: { input: 1, input_audio: 2 } }",
    ),
    "8 models.acme/one.price.input_audio",
    '"2"',
    "a decision is charged for its input only",
  ),
  "an unknown price class": at(
    price("{ input: 1, output: 1, cached: 1 }"),
    "8 models.acme/one.price.cached",
    "the unknown key",
    "cache_read",
  ),
  "a price date that does not exist": at(
    price("{ input: 1, output: 1, from: 2026-02-30 }"),
    "8 models.acme/one.price.from",
    '"2026-02-30"',
    "a day such as",
  ),
  "no prices": at(price("[]"), "8 models.acme/one.price", "an empty list", "a list of prices"),
  "two prices from one date": at(
    price("[{ input: 1, output: 1 }, { input: 2, output: 2 }]"),
    "8 models.acme/one.price[1]",
    "a second price from the same date",
    "one price for each date",
  ),
  "a tier without threshold": at(
    price("{ input: 1, output: 1, tiers: [{ input: 2, output: 2 }] }"),
    "8 models.acme/one.price.tiers[0].above_input_tokens",
    "nothing",
    "200000",
  ),
  "a tier without output": at(
    price("{ input: 1, output: 1, tiers: [{ above_input_tokens: 9, input: 2 }] }"),
    "8 models.acme/one.price.tiers[0].output",
    "nothing",
    "the price of a million output tokens",
  ),
  "two tiers of one threshold": at(
    price(
      "{ input: 1, output: 1, tiers: [{ above_input_tokens: 9, input: 2, output: 2 }, { above_input_tokens: 9, input: 3, output: 3 }] }",
    ),
    "8 models.acme/one.price.tiers[1]",
    "a second tier",
    "one tier for each threshold",
  ),
  "a decision with an output price": at(
    withLines(8, ["    decide_with: { engine: logprobs, model: acme/two }"]),
    "8 models.acme/one.price.output",
    '"15.00"',
    "charged for its input only",
  ),
  "a date that is none": at(
    withLines(8, ["    created: last year"]),
    "9 models.acme/one.created",
    '"last year"',
    "a day such as",
  ),
  "another kind": at(
    withLines(8, ["    kind: poem"]),
    "9 models.acme/one.kind",
    '"poem"',
    "chat, decision, embedding, rerank, moderation",
  ),
  "a length of nothing": at(
    withLines(8, ["    context_length: 0"]),
    "9 models.acme/one.context_length",
    '"0"',
    "a whole number of at least 1",
  ),
  "a fraction of a token": at(
    withLines(8, ["    max_completion_tokens: 1.5"]),
    "9 models.acme/one.max_completion_tokens",
    '"1.5"',
    "a whole number",
  ),
  "a negative length": at(
    withLines(8, ["    context_length: -1"]),
    "9 models.acme/one.context_length",
    '"-1"',
    "a whole number",
  ),
  "modalities that are no list": at(
    withLines(8, ["    input_modalities: text"]),
    "9 models.acme/one.input_modalities",
    '"text"',
    "a list of modalities",
  ),
  "sight without images": at(
    withLines(8, ["    input_modalities: [text]", "    capabilities: { vision: true }"]),
    "10 models.acme/one.capabilities.vision",
    '"true"',
    "false, as input_modalities is [text]",
  ),
  "reasoning without thinking": at(
    withLines(8, ["    capabilities: { thinking: false, reasoning: {} }"]),
    "9 models.acme/one.capabilities",
    "a map",
    "reasoning only where thinking is true",
  ),
  "a budget upside down": at(
    withLines(8, ["    capabilities: { reasoning: { budget_tokens: { min: 9, max: 1 } } }"]),
    "9 models.acme/one.capabilities.reasoning.budget_tokens",
    "min 9, max 1",
    "a min that is not above max",
  ),
  "a flag that is text": at(
    withLines(8, ["    capabilities: { mid_system: sometimes }"]),
    "9 models.acme/one.capabilities.mid_system",
    '"sometimes"',
    "true or false",
  ),
  "sampling of another kind": at(
    withLines(8, ["    capabilities: { sampling: false }"]),
    "9 models.acme/one.capabilities.sampling",
    "false",
    "always, without_reasoning, never",
  ),
  "an unknown capability": at(
    withLines(8, ["    capabilities: { images: true }"]),
    "9 models.acme/one.capabilities.images",
    "the unknown key",
    "vision",
  ),

  "an unknown vendor in the id": at(
    withLine(7, "  acne/one:"),
    "7 models.acne/one",
    'the unknown vendor "acne" (did you mean "acme"?)',
    "a vendor of this file",
  ),
  "a known vendor that is not enabled": at(
    withLine(7, "  mistral/large:"),
    "7 models.mistral/large",
    'the vendor "mistral", which is not enabled',
    "set MISTRAL_API_KEY",
  ),
  "a route to an unknown vendor": at(
    withLines(8, ["    routes:", "      - { vendor: acme }", "      - { vendor: amce }"]),
    "11 models.acme/one.routes[1].vendor",
    'the unknown vendor "amce" (did you mean "acme"?)',
    "a vendor of this file",
  ),
  "a route without vendor": at(
    withLines(8, ["    routes: [{ weight: 1 }]"]),
    "9 models.acme/one.routes[0].vendor",
    "nothing",
    "the id of a vendor",
  ),
  "no routes": at(withLines(8, ["    routes: []"]), "9 models.acme/one.routes", "an empty list", "a list of routes"),
  "a route without weight": at(
    withLines(8, ["    routes: [{ vendor: acme, weight: 0 }]"]),
    "9 models.acme/one.routes[0].weight",
    '"0"',
    "a number above 0",
  ),
  "a route with negative weight": at(
    withLines(8, ["    routes: [{ vendor: acme, weight: -1 }]"]),
    "9 models.acme/one.routes[0].weight",
    '"-1"',
    "a number above 0",
  ),
  "a protocol that the vendor lacks": at(
    withLines(8, ["    protocol: messages"]),
    "7 models.acme/one",
    "the protocol messages",
    "chat-completions",
  ),
  "an unknown fallback": at(
    withLines(8, ["    fallbacks: [acme/too]"]),
    "9 models.acme/one.fallbacks[0]",
    'the unknown model "acme/too" (did you mean "acme/two"?)',
    "the id of a model",
  ),
  "a fallback to itself": at(
    withLines(8, ["    fallbacks: [acme/one]"]),
    "9 models.acme/one.fallbacks[0]",
    "the model itself",
    "another model",
  ),
  "a fallback twice": at(
    withLines(8, ["    fallbacks: [acme/two, acme/two]"]),
    "9 models.acme/one.fallbacks[1]",
    '"acme/two" a second time',
    "each model once",
  ),
  "a fallback of another kind": at(
    withLines(8, [
      "    fallbacks: [x/judge]",
      "  x/judge:",
      "    decide_with: { engine: logprobs, model: acme/two }",
      "    price: { input: 1 }",
    ]),
    "9 models.acme/one.fallbacks[0]",
    '"x/judge", a decision model',
    "a chat model",
  ),
  "an alias to an unknown model": at(
    withLines(10, ["aliases: { fast: acme/too }"]),
    "11 aliases.fast",
    'the unknown model "acme/too" (did you mean "acme/two"?)',
    "the id of a model, not another alias",
  ),
  "an alias to a retired model": at(
    withLines(10, ["    retired: true", "aliases: { fast: acme/two }"]),
    "12 aliases.fast",
    '"acme/two", which is retired',
    "a model that takes calls",
  ),
  "an alias with the id of a model": at(
    withLines(10, ["aliases: { acme/one: acme/two }"]),
    "11 aliases.acme/one",
    "an alias with the id of a model",
    "a name that no model has",
  ),
  "an alias of other characters": at(
    withLines(10, ['aliases: { "cl*de": acme/two }']),
    "11 aliases.cl*de",
    'the alias "cl*de"',
    "1 to 128 characters",
  ),
  "decisions of a retired model": at(
    [
      ...LINES,
      "    retired: true",
      "  x/judge: { decide_with: { engine: logprobs, model: acme/two }, price: { input: 1 } }",
    ].join("\n"),
    "12 models.x/judge.decide_with.model",
    '"acme/two", which is retired',
    "a model in use",
  ),
  "a decision model on a chat vendor": at(
    withLine(8, "    { kind: decision, price: { input: 1 } }"),
    "7 models.acme/one",
    'the vendor "acme", which speaks chat-completions',
    "decide_with",
  ),
  "another engine": at(
    withLine(8, "    { decide_with: { engine: oracle, model: acme/two }, price: { input: 1 } }"),
    "8 models.acme/one.decide_with.engine",
    '"oracle"',
    "logprobs",
  ),
  "an unknown way to debias": at(
    decideWith("debias: some"),
    "8 models.acme/one.decide_with.debias",
    '"some"',
    "none, two, all",
  ),
  "a label mass above 1": at(
    decideWith("min_label_mass: 1.5"),
    "8 models.acme/one.decide_with.min_label_mass",
    '"1.5"',
    "a decimal from 0 to 1",
  ),
  "a calibration that is not there": at(
    decideWith("calibration: gone.json"),
    "8 models.acme/one.decide_with.calibration",
    'gone.json", which cannot be read (ENOENT)',
    "the path of a calibration file",
  ),
  "decisions of an unknown model": at(
    withLine(8, "    { decide_with: { engine: logprobs, model: acme/tow }, price: { input: 1 } }"),
    "8 models.acme/one.decide_with.model",
    'did you mean "acme/two"',
    "the id of a model",
  ),
  "decisions of a decision model": at(
    withLine(8, "    { decide_with: { engine: logprobs, model: acme/one }, price: { input: 1 } }"),
    "8 models.acme/one.decide_with.model",
    '"acme/one", a decision model',
    "a chat model",
  ),
  "decisions by a chat model": at(
    withLine(
      8,
      "    { kind: chat, decide_with: { engine: logprobs, model: acme/two }, price: { input: 1, output: 1 } }",
    ),
    "8 models.acme/one.decide_with.model",
    "a model of kind chat",
    "only on models of kind decision",
  ),
  "decisions two ways": at(
    withLine(
      8,
      "    { routes: [{ vendor: acme }], decide_with: { engine: logprobs, model: acme/two }, price: { input: 1 } }",
    ),
    "8 models.acme/one.decide_with.model",
    "both",
    "not both",
  ),

  "a body without size": at(withLines(10, ["limits: { body: big }"]), "11 limits.body", '"big"', "512KiB, 32MiB"),
  "a limit by model without a limit": at(
    withLines(10, ["limits: { models: { 'acme/*': {} } }"]),
    "11 limits.models.acme/*",
    "none",
    "rpm, tpm, concurrent or budget",
  ),
  "a limit by model with a space in its pattern": at(
    withLines(10, ["limits: { models: { 'acme swift': { rpm: 5 } } }"]),
    "11 limits.models.acme swift",
    '"acme swift"',
    "a model id in which * stands for any text",
  ),
  "a limit by model with a limit that there is not": at(
    withLines(10, ["limits: { models: { 'acme/*': { required: true } } }"]),
    ["11 limits.models.acme/*.required", "11 limits.models.acme/*"],
    'the unknown key "required"',
    "rpm, tpm, concurrent, budget",
  ),
  "a negative size": at(withLines(10, ["limits: { body: -1MiB }"]), "11 limits.body", '"-1MiB"', "512KiB, 32MiB"),
  "no requests at all": at(
    withLines(10, ["limits: { default_key: { rpm: 0 } }"]),
    "11 limits.default_key.rpm",
    '"0"',
    "at least 1",
  ),
  "an unknown limit": at(
    withLines(10, ["limits: { default_key: { tpm: 5 } }"]),
    "11 limits.default_key.tpm",
    '(did you mean "rpm"?)',
    "rpm, concurrent",
  ),
};

describe("a mistake in the file is reported where it is, with what is allowed there", () => {
  test("and the sound file has none", () => {
    expect(problemsOf(LINES.join("\n"))).toEqual([]);
  });

  test.each(Object.entries(CASES))("%s", (_name, { text, place, found, allowed }) => {
    const problems = problemsOf(text);
    const [problem] = problems;
    expect(problems.map(({ line, path }) => `${line} ${path}`)).toEqual([place].flat());
    expect(problem?.file).toBe("camino.yaml");
    expect(problem?.found).toContain(found);
    expect(problem?.allowed).toContain(allowed);
  });
});

test("an address in which a variable is no part of a host's name is a problem, or leaves the vendor out", () => {
  const env = { AZURE_RESOURCE_NAME: "a b", AZURE_API_KEY: "k" };
  expect(problemsOf("vendors:\n  azure: {}", env)).toMatchObject([
    {
      line: 2,
      path: "vendors.azure.base_url",
      found: "nothing",
      allowed: expect.stringContaining("AZURE_RESOURCE_NAME"),
    },
  ]);
  const { vendors } = loadConfiguration({ file_text: null, file_name: "camino.yaml", env });
  expect(vendors.has("azure")).toBe(false);
});

describe("the list of problems", () => {
  const text = [
    "vendors:",
    "  acme: { protocol: chat-completions, base_url: https://a.example/v1, api_key: '${A}', timeout: 3s }",
    "models:",
    "  acme/one: { price: { input: x, output: 1 } }",
    "  other/two: { price: { input: 1, output: 1 } }",
    "limits: { body: 0 }",
  ].join("\n");

  test("has all of them, in the order of the file", () => {
    expect(problemsOf(text).map(({ line, path }) => `${line} ${path}`)).toEqual([
      "2 vendors.acme.timeout",
      "2 vendors.acme.api_key",
      "4 models.acme/one.price.input",
      "5 models.other/two",
      "6 limits.body",
    ]);
  });

  test("prints one line for each that an editor can jump to", () => {
    let message = "";
    try {
      loadConfiguration({ file_text: text, file_name: "camino.yaml", env: {} });
    } catch (thrown) {
      if (thrown instanceof Error) ({ message } = thrown);
    }
    expect(message).toStartWith(
      "camino.yaml has 5 problems:\n  camino.yaml:2: vendors.acme.timeout: found the unknown key",
    );
    expect(message.split("\n")).toHaveLength(6);
  });

  test("does not repeat a mistake elsewhere: a reference to a vendor with a mistake is no second problem", () => {
    const broken = withLine(4, "    base_url: nowhere");
    expect(problemsOf(broken).map(({ path }) => path)).toEqual(["vendors.acme.base_url"]);
  });

  test("never shows a credential", () => {
    const secret = "sk-very-secret";
    const broken = withLine(5, `    api_key: [${secret}]`);
    const expanded = withLine(5, "    api_key: ${KEY}").replace("chat-completions", "x");
    for (const problem of [...problemsOf(broken), ...problemsOf(expanded, { KEY: secret })]) {
      expect(JSON.stringify(problem)).not.toContain(secret);
    }
    const header = withLines(5, [`    headers: { authorization: "${secret}\\nx" }`]);
    expect(JSON.stringify(problemsOf(header))).not.toContain(secret);
  });
});
