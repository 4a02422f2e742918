/** Bills as vendors export them, for one UTC day and one model. */

export interface Billed {
  /** `2026-11-22`. */
  readonly day: string;
  readonly model: string;
  /** Without what was read from a cache or written to it, as receipts have it. */
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly cost: string;
}

/** An export's text by its format: the header has the columns of the vendor's page, those too that are not read. */
export const BILLS: Readonly<Record<string, (billed: Billed) => string>> = {
  "our own": ({ day, model, output_tokens, cost, ...tokens }) =>
    csv("day,model,input_tokens,output_tokens,cost", [day, model, wholeInput(tokens), output_tokens, cost]),

  "OpenAI's usage": ({ day, model, output_tokens, ...tokens }) =>
    csv(
      "start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,model,batch,input_tokens,output_tokens,input_cached_tokens",
      [seconds(day), seconds(day) + 86_400, `${day}T00:00:00+00:00`, `${day}T23:59:59+00:00`, "proj_1", 3],
      [model, "False", wholeInput(tokens), output_tokens, tokens.cache_read_tokens],
    ),

  "OpenAI's costs": ({ day, model, cost }) =>
    csv(
      "start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,organization_id",
      [seconds(day), seconds(day) + 86_400, `${day}T00:00:00+00:00`, `${day}T23:59:59+00:00`, cost, "usd"],
      [`"${model}, input"`, "proj_1", "org-1"],
    ),

  "Anthropic's usage": ({ day, model, ...tokens }) =>
    csv(
      "usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens",
      [day, model, "camino", "Default", "standard", "≤ 200k"],
      [tokens.input_tokens, tokens.cache_write_tokens, 0],
      [tokens.cache_read_tokens, tokens.output_tokens],
    ),

  "Anthropic's costs": ({ day, model, cost }) =>
    csv("usage_date_utc,model,workspace,cost_type,token_type,cost_usd", [
      ...[day, model, "Default", "token", "input_no_cache", cost],
    ]),
};

function csv(header: string, ...cells: readonly (readonly (string | number)[])[]): string {
  return `\uFEFF${header}\r\n${cells.flat().join(",")}\r\n`;
}

function wholeInput(tokens: Omit<Billed, "day" | "model" | "output_tokens" | "cost">): number {
  return tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_write_tokens;
}

function seconds(day: string): number {
  return Date.parse(day) / 1000;
}
