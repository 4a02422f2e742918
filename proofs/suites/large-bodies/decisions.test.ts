import { afterAll, describe, expect, test } from "bun:test";
import { listOptions, listPredicate } from "../../../src/decider/listing.ts";
import { writeMaterial } from "../../../src/decider/write-material.ts";
import { writePrompt } from "../../../src/decider/write-prompt.ts";
import { decisionProtocols, decisionVendorOf, vendorCodecOf } from "../../../src/main/protocols.ts";
import { billedTexts, boundOfCalls } from "../../../src/pipeline/decisions/billed-texts.ts";
import { KeptRoom } from "../../../src/pipeline/large-bodies/kept-room.ts";
import { LargeBodies } from "../../../src/pipeline/large-bodies/large-bodies.ts";
import { charactersOf, hasImages, imageTokens } from "../../../src/pipeline/request/decision-input.ts";
import { LARGE_BYTES } from "../../../src/pipeline/request/sizes.ts";
import { fitRequest } from "../../../src/protocols/translate/fit-request.ts";
import { targetFor } from "../../support/target.ts";

/** A decision whose input another thread holds is asked, held and billed as one that is read here. */

const NO_HEADERS = { get: () => null };
const PNG = "data:image/png;base64,iVBORw0KGgo=";
const LONG = `${"Grüße, 漢字 and plain words. ".repeat(LARGE_BYTES / 25)}The end.`;
const QUESTIONS = [
  { type: "predicate", instructions: "Is it late?" },
  { type: "choice", instructions: "Which?", choices: [{ value: "a", description: "one" }, { value: true }] },
];
const STATE = { model: "m", questions: { late: { type: "noul", instructions: ["Is it", { late: 1.0 }] } } };
const part = (text: string) => ({ type: "input_text", text });
const BODIES = {
  "one text": ["decisions", { model: "m", input: LONG, questions: QUESTIONS }],
  "messages with images and data": [
    "decisions",
    {
      model: "m",
      input: [
        { role: "user", content: [part("first"), { type: "input_image", image_url: PNG, detail: "low" }, part(LONG)] },
        {
          role: "user",
          content: [
            { type: "input_json", data: { n: 1 } },
            { type: "input_image", image_url: PNG },
          ],
        },
      ],
      questions: QUESTIONS,
      safety_identifier: "user-1",
    },
  ],
  "a state": ["systemone", { ...STATE, state: { ticket: LONG, order: 12_345 } }],
} as const;

const large_bodies = new LargeBodies({
  start: () => new Worker(new URL("../../../src/main/body-worker.ts", import.meta.url)),
  most_workers: 1,
  room: new KeptRoom(2 ** 30, 2 ** 20),
  memory: null,
  log: { error: () => {} },
});
afterAll(() => large_bodies.close());

describe.each(Object.entries(BODIES))("%s", (_what, [route, body]) => {
  const text = JSON.stringify(body);
  const { decision: here } = decisionProtocols[route].readRequest(text);
  const asked = () => {
    const large = { bytes: new Uint8Array(Buffer.from(text)), form: null };
    return large_bodies.readDecision({
      ...{ route, body: large, headers: NO_HEADERS, account_id: "acct_1", is_repeatable: false, recall: null },
    });
  };

  test("vendors get the same bytes", async () => {
    const { remote } = await asked();
    for (const protocol of ["decisions", "systemone"] as const) {
      const target = targetFor(protocol, { upstream_model: "upstream", forwards_safety_identifier: true });
      const { body: there, ...rest } = await remote.encodeDecision(target);
      const expected = decisionVendorOf(protocol)?.encodeRequest(here, target, NO_HEADERS);
      expect(Buffer.from(there).toString() === expected?.body).toBe(true);
      expect(rest).toEqual({ path: expected?.path, headers: expected?.headers, ignored: expected?.ignored } as never);
    }
    remote.release();
  });

  test("chat models get the same prompt in each call", async () => {
    const { remote } = await asked();
    const target = targetFor("chat-completions", { input_modalities: ["text", "image"] });
    const codec = vendorCodecOf("chat-completions");
    if (codec === null) throw new Error("no codec");
    const listings = [
      listPredicate(
        { type: "predicate", name: null, instructions: "?", when_true: null, when_false: null },
        [0, 1],
        true,
      ),
      listOptions([{ value: "a", description: "one" }], [0]),
    ];
    for (const listing of listings) {
      const question = { instructions: "Is it late?", listing };
      const settings = { top_logprobs: 20, constrained: false };
      const whole = writePrompt(writeMaterial(here.input), question, settings);
      const { request } = fitRequest(whole, codec.traits(target, whole), target);
      const expected = codec.encodeRequest(request, target, NO_HEADERS).body;
      const { body: there } = await remote.encodeCall(target, writePrompt([], question, settings));
      expect(Buffer.from(there).toString() === expected).toBe(true);
    }
    remote.release();
  });

  test("the hold and the charge are the same, and nothing of the input is here", async () => {
    const { remote, decision: sketch } = await asked();
    const calls = sketch.questions.map((_, at) => ({ calls: at + 3, listings: at + 2 }));
    expect(boundOfCalls(sketch, calls)).toBe(boundOfCalls(here, calls));
    const lengths = (decision: typeof here) =>
      billedTexts(decision, calls).reduce(
        (sum, { text, times, more }) => sum + (text.length + (more?.characters ?? 0)) * times,
        0,
      );
    expect(lengths(sketch)).toBe(lengths(here));
    expect([imageTokens(sketch), hasImages(sketch), charactersOf(sketch)]).toEqual([
      imageTokens(here),
      hasImages(here),
      charactersOf(here),
    ]);
    expect(sketch.input).toEqual([]);
    expect(JSON.stringify(sketch)).not.toContain("The end.");
    remote.release();
  });
});
