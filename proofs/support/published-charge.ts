import { loadConfiguration } from "../../src/catalog/configuration/load-configuration.ts";
import type { Price } from "../../src/core/money/price.ts";
import { costOf } from "../../src/core/money/price.ts";
import type { Usage } from "../../src/core/money/usage.ts";
import { readUsage as readChat } from "../../src/protocols/chat-completions/usage.ts";
import { readUsage as readMessages } from "../../src/protocols/messages/read-usage.ts";
import { readUsage as readResponses } from "../../src/protocols/responses/read-usage.ts";
import { readGeminiUsage as readGemini } from "../../src/protocols/shared/gemini-usage.ts";

/** A model's price as a configuration has it, and usages with their costs by an independent calculator. */
export interface PublishedCase {
  readonly model: string;
  readonly price: Readonly<Record<string, unknown>>;
  readonly usages: readonly (readonly [Counts, total: string])[];
}

/** Counts by the calculator's names: the input includes cached tokens and all media. */
export type Counts = Readonly<Partial<Record<string, number>>>;

/** The prices of cases, read as a configuration file is. */
export function pricesOf(cases: readonly PublishedCase[]): Price[] {
  const models = cases.map(({ price }, index) => `  acme/m${index}: { price: ${JSON.stringify(price)} }`);
  const vendors = 'vendors: { acme: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }';
  const file_text = `catalog: none\n${vendors}\nmodels:\n${models.join("\n")}\n`;
  const { models: read } = loadConfiguration({ file_text, file_name: "prices.yaml", env: {} });
  return cases.map((_, index) => read.get(`acme/m${index}`)?.prices[0] as Price);
}

/** A usage as the vendors of each protocol report it, read by that protocol; null where it cannot report them. */
export function usagesOf(told: Counts): Record<string, Usage | null> {
  const count = (name: string) => told[name] ?? 0;
  const [input, output, read, write] = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"].map(
    count,
  ) as [number, number, number, number];
  const media = (side: string) => ({
    audio_tokens: count(`${side}_audio_tokens`),
    image_tokens: count(`${side}_image_tokens`),
    video_tokens: count(`${side}_video_tokens`),
  });
  const cached_audio = count("cache_audio_read_tokens");
  const input_details = {
    ...media("input"),
    ...{ cached_tokens: read, cache_write_tokens: write },
    ...(cached_audio > 0 && { cached_tokens_details: { audio_tokens: cached_audio } }),
  };
  const server_tool_use = { web_search_requests: count("web_searches") };
  const files = Array.from({ length: count("storage_searches") }, () => ({ type: "file_search_call" }));
  const searches = Array.from({ length: count("web_searches") }, () => ({ type: "web_search_call" }));
  const has_media = Object.keys(told).some((name) => /audio|image|video/.test(name));
  const kept_an_hour = count("cache_write_1h_tokens");
  const found: Record<string, Usage | null> = {};
  if (files.length === 0 && kept_an_hour === 0) {
    const chat = { prompt_tokens: input, completion_tokens: output, server_tool_use };
    found.chat = readChat({
      ...chat,
      prompt_tokens_details: input_details,
      completion_tokens_details: media("output"),
    }).usage;
  }
  if (kept_an_hour === 0) {
    const counts = { input_tokens: input, output_tokens: output, input_tokens_details: input_details };
    found.responses = readResponses({ ...counts, output_tokens_details: media("output") }, [...files, ...searches]);
  }
  if (!has_media && files.length === 0) {
    found.messages = readMessages({
      ...{ input_tokens: input - read - write, output_tokens: output, server_tool_use },
      ...{ cache_read_input_tokens: read, cache_creation_input_tokens: write },
      cache_creation: { ephemeral_1h_input_tokens: kept_an_hour },
    });
  }
  if (write === 0 && searches.length === 0 && files.length === 0) {
    const details = (side: string) =>
      ["AUDIO", "IMAGE", "VIDEO"].map((modality) => ({
        modality,
        tokenCount: count(`${side}_${modality.toLowerCase()}_tokens`),
      }));
    found.gemini = readGemini({
      ...{ promptTokenCount: input, candidatesTokenCount: output, cachedContentTokenCount: read },
      ...{ promptTokensDetails: details("input"), candidatesTokensDetails: details("output") },
      cacheTokensDetails: [{ modality: "AUDIO", tokenCount: cached_audio }],
    });
  }
  return found;
}

/** A total in currency units, as whole micro units rounded up. */
export function microOf(total: string): bigint {
  const [whole = "0", fraction = ""] = plain(total).split(".");
  const digits = fraction.padEnd(6, "0");
  const rest = /[1-9]/.test(digits.slice(6)) ? 1n : 0n;
  return BigInt(whole + digits.slice(0, 6)) + rest;
}

/** `1.2E-7` without its exponent. */
function plain(decimal: string): string {
  const match = /^(\d+)(?:\.(\d+))?[eE]-(\d+)$/.exec(decimal);
  if (match === null) return decimal;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole.padStart(Number(exponent) + 1, "0");
  const point = digits.length - Number(exponent);
  return `${digits.slice(0, point)}.${digits.slice(point)}${fraction}`;
}

export interface Comparison {
  readonly model: string;
  readonly protocol: string;
  readonly counts: Counts;
  readonly ours: bigint | null;
  readonly theirs: bigint;
}

/** Every usage of every case by every protocol that can report it. */
export function* compare(cases: readonly PublishedCase[]): Generator<Comparison> {
  const prices = pricesOf(cases);
  for (const [index, { model, usages }] of cases.entries()) {
    for (const [counts, total] of usages) {
      for (const [protocol, usage] of Object.entries(usagesOf(counts))) {
        const ours = usage === null ? null : costOf(usage, prices[index] as Price);
        yield { model, protocol, counts, ours, theirs: microOf(total) };
      }
    }
  }
}
