import { beforeEach, expect, test } from "bun:test";
import type { AdmitOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { readPrice } from "../../ledger/books/row-json.ts";
import type { NamedTexts, Numbering } from "../record/packing.ts";
import { PRICE } from "../suite/books.ts";
import { TermsPacker, unpackTerms } from "./pack-op.ts";

const RULES = [
  { rule: "key_1 model acme/*", value: "", rpm: 4, tpm: null, concurrent: null, budget: null },
  {
    ...{ rule: "account model *", value: "", rpm: null, tpm: 5, concurrent: 6 },
    budget: { amount_micro: micro(2n ** 60n), window: "day" },
  },
] as const;

const ADMIT: AdmitOp = {
  op: "admit",
  request_id: "req_1",
  client_request_id: null,
  account_id: "acct_1",
  key_id: "key_1",
  key_version: 3,
  endpoint: "chat.completions",
  stream: true,
  requested_model: "swift",
  model: "acme/swift",
  price: PRICE,
  hold_micro: micro(5),
  bound_tokens: 50,
  rpm: 1,
  tpm: 2,
  concurrent: 3,
  budget: { amount_micro: micro(2n ** 60n), window: "week" },
  node_id: "node_1",
  ttl_ms: 60_000,
  idempotency: null,
  rules: RULES,
};

/** An admission on other terms for each field that terms have. */
const OTHERS: readonly Partial<AdmitOp>[] = [
  { account_id: "acct_2" },
  { key_id: "key_2" },
  { key_version: 4 },
  { endpoint: "responses" },
  { stream: false },
  { requested_model: "fast" },
  { model: "acme/fast" },
  { price: { ...PRICE, version: "p2" } },
  { rpm: null },
  { tpm: null },
  { concurrent: null },
  { budget: null },
  { budget: { amount_micro: micro(7), window: "week" } },
  { budget: { amount_micro: micro(2n ** 60n), window: "day" } },
  { node_id: "node_2" },
  { ttl_ms: 1 },
  { rules: null },
  { rules: RULES.slice(1) },
];

let texts: string[];
let packer: TermsPacker;

beforeEach(() => {
  texts = [];
  packer = new TermsPacker();
});

const numbering: Numbering = {
  numberOf(text) {
    const known = texts.indexOf(text);
    return known === -1 ? texts.push(text) - 1 : known;
  },
};

const named: NamedTexts = {
  textOf: (number) => texts[number] ?? "",
  priceOf: (number) => readPrice(texts[number] ?? ""),
};

function expectTerms(number: number, op: AdmitOp): void {
  expect(op).toMatchObject(unpackTerms(named.textOf(number), named));
}

test("terms are read as they were packed", () => {
  for (const fields of [{}, ...OTHERS]) {
    const op = { ...ADMIT, ...fields };
    expectTerms(packer.numberOf(op, numbering), op);
  }
});

test("admissions on the same terms have the same number, whatever else they ask for", () => {
  const number = packer.numberOf(ADMIT, numbering);
  const budget = { amount_micro: micro(2n ** 60n), window: "week" } as const;
  const other = {
    ...ADMIT,
    budget,
    request_id: "req_2",
    hold_micro: micro(6),
    bound_tokens: 1,
    client_request_id: "x",
  };
  expect(packer.numberOf(other, numbering)).toBe(number);
});

test("terms that differ in one thing have numbers of their own, more than are looked through too", () => {
  const all = [{}, ...OTHERS].map((fields) => ({ ...ADMIT, ...fields }));
  const numbers = all.map((op) => packer.numberOf(op, numbering));
  expect(new Set(numbers).size).toBe(all.length);
  expect(all.map((op) => packer.numberOf(op, numbering))).toEqual(numbers);
});

test("after the numbering has begun again, terms are sent again", () => {
  packer.numberOf(ADMIT, numbering);
  texts = ["something else"];
  packer.clear();
  expectTerms(packer.numberOf(ADMIT, numbering), ADMIT);
});
