import { describe, expect, test } from "bun:test";
import { BillError, parseBill, plainModel } from "./read-bill.ts";
import { CsvError, readCsv } from "./read-csv.ts";

const DAY = 20_667; // 2026-08-02

describe("a vendor's bill", () => {
  const cases = [
    {
      what: "our own columns",
      text: "day,model,input tokens,output tokens,cost\n2026-08-02,swift-1,10,20,0.5\n2026-08-02,swift-1,1,2,0.25\n",
      line: { day: DAY, model: "swift-1", input_tokens: 11, output_tokens: 22, cost_micro: 750_000 },
    },
    {
      what: "OpenAI's usage export: the input has the cached tokens, empty days have no model",
      text: `start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,service_tier,input_tokens,output_tokens,input_cached_tokens,input_uncached_tokens
1785628800,1785715200,2026-08-02T00:00:00+00:00,2026-08-03T00:00:00+00:00,,3,,,gpt-4o-2024-08-06,,,1200,300,200,1000
1785715200,1785801600,2026-08-03T00:00:00+00:00,2026-08-04T00:00:00+00:00,,,,,,,,,,,
`,
      line: { day: DAY, model: "gpt-4o-2024-08-06", input_tokens: 1200, output_tokens: 300, cost_micro: null },
    },
    {
      what: "OpenAI's costs export, a line for each part of a model's use",
      text: `start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id
1785628800,1785715200,2026-08-02T00:00:00+00:00,,0.8958740000000000,usd,"gpt-4o-2024-08-06, input",
1785628800,1785715200,2026-08-02T00:00:00+00:00,,0.1,usd,"gpt-4o-2024-08-06, output",
`,
      line: { day: DAY, model: "gpt-4o-2024-08-06", input_tokens: null, output_tokens: null, cost_micro: 995_874 },
    },
    {
      what: "Anthropic's usage export, whose input is in parts",
      text: `usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed
2026-08-02,claude-opus-5,key,Default,standard,≤ 200k,100,20,3,4000,50,0,not_available,
`,
      line: { day: DAY, model: "claude-opus-5", input_tokens: 4123, output_tokens: 50, cost_micro: null },
    },
    {
      what: "Anthropic's costs export, with a byte order mark",
      text: `\uFEFFusage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type
2026-08-02,Claude Haiku 4.5,Default,key,message,≤ 200k,input_no_cache,0.05,0.05,token
2026-08-02,Claude Haiku 4.5,Default,key,message,≤ 200k,output,0.13,0.13,token
`,
      line: { day: DAY, model: "Claude Haiku 4.5", input_tokens: null, output_tokens: null, cost_micro: 180_000 },
    },
  ];
  for (const { what, text, line } of cases) {
    test(`is read from ${what}`, () => {
      const bill = parseBill(text);
      expect([...bill.lines.values()]).toEqual([line]);
      expect(bill).toMatchObject({ first_day: DAY, last_day: DAY });
    });
  }

  const refused = [
    ["without a day", "model,input_tokens\nswift,1\n", "names no column for a day"],
    ["without tokens or cost", "day,model\n2026-08-02,swift\n", "tokens or cost"],
    ["with a day that is none", "day,model,cost\n2026-02-30,swift,1\n", 'row 2 has the day "2026-02-30"'],
    ["with a count that is none", "day,model,input_tokens\n2026-08-02,swift,many\n", 'row 2 has "many"'],
    ["with an amount that is none", "day,model,cost\n2026-08-02,swift,1/2\n", 'row 2 has "1/2"'],
    ["with use of no model", "day,model,cost\n2026-08-02,,1\n", "row 2 has no model"],
    ["without rows", "day,model,cost\n", "no row with a model"],
    ["of nothing", "", "names no column"],
  ] as const;
  for (const [what, text, says] of refused) {
    test(`${what} is refused and says where`, () => {
      expect(() => parseBill(text)).toThrow(BillError);
      expect(() => parseBill(text)).toThrow(says);
    });
  }
});

test("models are known by the names that bills have for them", () => {
  const same = [
    ["claude-haiku-4-5-20251001", "Claude Haiku 4.5"],
    ["gpt-4o-2024-08-06", "gpt-4o"],
    ["anthropic/claude-opus-5", "claude-opus-5"],
    ["gpt_4.1", "gpt-4.1"],
  ] as const;
  for (const [one, other] of same) expect(plainModel(one)).toBe(plainModel(other));
  expect(plainModel("gpt-4o")).not.toBe(plainModel("gpt-4o-mini"));
});

test("CSV has quoted cells with commas, quotes and line ends, and rows of any line end", () => {
  expect(readCsv('a,"b, ""c""\nd",\r\n\r\n1,,3')).toEqual([
    ["a", 'b, "c"\nd', ""],
    ["1", "", "3"],
  ]);
  expect(readCsv("")).toEqual([]);
  expect(() => readCsv('a,b"c\n')).toThrow(CsvError);
  expect(() => readCsv('"open')).toThrow(CsvError);
});
