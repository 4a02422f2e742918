import type { Distortion } from "./decisions/distortions.ts";
import { MEDIA_MODELS } from "./media-models.ts";
import { RANKING_MODELS } from "./ranking-models.ts";
import { failures, makerOf, model, PLAIN, type SimulatedModel, type Traits } from "./simulated-model.ts";

const EFFORTS = ["minimal", "low", "medium", "high", "xhigh"];
const THINKING = {
  thinking: true,
  reasoning: { toggle: true, effort: EFFORTS, budget_tokens: { min: 1024, max: 32_000 } },
};

const ANSWERS = [
  model("answers", "echo", "Answers with the last user message.", { completions: true }),
  model("answers", "mid-system", "As echo, and takes system messages amid a conversation (@mid_system=1).", {
    presets: { mid_system: "1" },
    mid_system: true,
  }),
  model("answers", "pdf", "Calls the tools it is given, whose results may hold PDF files.", {
    content: "tools",
    capabilities: { ...PLAIN, tools: true },
    input_modalities: ["text", "pdf"],
  }),
  model("answers", "no-documents", "As tools, and refuses documents (@documents=0).", {
    content: "tools",
    capabilities: { ...PLAIN, tools: true },
    presets: { documents: "0" },
  }),
  model("answers", "user-first", "As echo, and refuses a conversation that the assistant begins (@user_first=1).", {
    presets: { user_first: "1" },
  }),
  model("answers", "slow", "Answers with a word each 200 ms (@ms=N sets the pace).", { pace_ms: 200 }),
  model("answers", "tools", "Calls the tools it is given, then answers with their results.", {
    content: "tools",
    capabilities: { ...PLAIN, tools: true },
  }),
  model("answers", "reason", "Thinks before it answers, as much as the effort asks for.", {
    content: "reason",
    capabilities: { ...PLAIN, tools: true, ...THINKING },
  }),
  model("answers", "hidden", "Reasons 60,000 tokens long and shows none of it (@think=N).", {
    content: "hidden",
    capabilities: { ...PLAIN, ...THINKING },
  }),
  model("answers", "vision", "Says how many images it got, their types and sizes.", {
    content: "vision",
    capabilities: { ...PLAIN, vision: true },
    input_modalities: ["text", "image"],
  }),
  model("answers", "json", "Answers with JSON that satisfies the schema asked for.", {
    content: "json",
    capabilities: { ...PLAIN, json: true },
  }),
  model(
    "answers",
    "long",
    "Fills the output cap exactly (@tokens=N ends it earlier, @piece=N sets tokens per piece).",
    {
      content: "long",
    },
  ),
  model("answers", "unicode", "Answers with characters that are easily broken.", { content: "unicode" }),
  model("answers", "refuse", "Declines to answer.", { content: "refuse" }),
  model("answers", "filter", "Is stopped by a content filter after some words.", { content: "filter" }),
  model("answers", "stop", "Says the stop sequence that the request names, and so is stopped by it.", {
    content: "stop",
  }),
  model("answers", "agent", "Plays an agent's model by the script in the conversation.", {
    content: "agent",
    capabilities: { ...PLAIN, tools: true, json: true, vision: true, ...THINKING },
    input_modalities: ["text", "image"],
  }),
  model("answers", "everything", "Reasoning, text and two tool calls in one answer.", {
    content: "everything",
    capabilities: { ...PLAIN, tools: true, ...THINKING },
  }),
];

const USAGE = [
  model("usage", "cached", "Half of the input is read from a cache, a quarter is written to it.", { usage: "cached" }),
  model("usage", "no-usage", "Reports no usage.", { usage: "none" }),
  model("usage", "usage-negative", "Reports negative counts.", { usage: "negative" }),
  model("usage", "usage-fraction", "Reports counts that are not whole.", { usage: "fraction" }),
  model("usage", "usage-huge", "Reports counts beyond belief.", { usage: "huge" }),
  model("usage", "usage-text", "Reports counts as text.", { usage: "text" }),
  model("usage", "usage-cached-above-input", "Reports more cached tokens than input.", { usage: "cached-above-input" }),
  model("usage", "usage-early-and-late", "Reports a preliminary usage first and the true one last.", {
    usage: "early-and-late",
  }),
  model("usage", "usage-split", "Reports input first and only the output last, on messages.", { usage: "split" }),
];

const STATUSES = [400, 401, 403, 404, 408, 422, 429, 500, 503, 529] as const;

function failing(id: string, behaviour: string, fault: SimulatedModel["fault"], traits: Traits = {}): SimulatedModel {
  return model("failures", id, behaviour, { fault, ...traits });
}

const FAILURES = [
  ...STATUSES.map((status) => failing(`fail-${status}`, `Answers with status ${status}.`, `fail-${status}`)),
  failing("fail", "Answers with the status that @status=N names.", "fail"),
  failing("fail-first", "Fails @n=N times (status 503 or @status=N) for each full name, then answers.", "fail-first"),
  failing("empty-200", "Status 200 and nothing else.", "empty-200"),
  failing("html-200", "Status 200 and a web page.", "html-200"),
  failing("html-502", "Status 502 and a web page.", "html-502"),
  failing("bad-json", "JSON that breaks off.", "bad-json"),
  failing("hang", "Never answers.", "hang"),
  failing("hang-after-headers", "Headers, then nothing.", "hang-after-headers"),
  failing("stall-mid", "Some content, then nothing.", "stall-mid"),
  failing("cut-headers", "Closes the connection amid the headers.", "cut-headers"),
  failing("cut-before-content", "Closes the connection before any content.", "cut-before-content"),
  failing("cut-mid", "Closes the connection after some content (@after=N pieces).", "cut-mid"),
  failing("error-first", "Status 200, then an error before any content.", "error-first"),
  failing("error-mid", "An error after some content.", "error-mid"),
  failing("end-mid", "Ends in good order after some content, without saying that it is complete.", "end-mid"),
  failing("no-done", "Leaves the terminal marker out.", "no-done"),
  failing("redirect", "Redirects to another address.", "redirect"),
  failing("echo-secret", "An error whose message repeats the credential it got.", "echo-secret"),
  failing("slow-first-byte", "Waits 500 ms (@first_ms=N) before it answers.", null, { first_ms: 500 }),
];

const FRAMING = [
  model("framing", "huge-line", "One line beyond 1 MiB (@bytes=N).", { fault: "huge-line" }),
  model("framing", "crlf", "Lines end in CRLF.", { fault: "crlf" }),
  model("framing", "cr", "Lines end in CR.", { fault: "cr" }),
  model("framing", "comments", "Keep-alive comments between events.", { fault: "comments" }),
  model("framing", "bom", "Begins with a byte order mark.", { fault: "bom" }),
  model("framing", "chunks-1", "Every byte is written by itself.", { fault: "chunks-1" }),
  model("framing", "chunks-7", "Written seven bytes at a time.", { fault: "chunks-7" }),
  model("framing", "one-chunk", "The whole stream in one write.", { fault: "one-chunk" }),
];

const BENCH = [model("bench", "bench", "64 deltas without delay, or a fixed body, made once.", { content: "bench" })];

function judge(id: string, behaviour: string, presets: SimulatedModel["presets"], traits: Traits = {}): SimulatedModel {
  return model("judges", id, behaviour, { content: "judge", presets, ...traits });
}

const JUDGES = [
  judge("judge", "Answers a question by one of its labels, with log-probabilities by a documented rule.", {}),
  judge("judge-bias-2", "Favours the option listed first by 2 nats (@bias=N).", { bias: "2" }),
  judge("judge-label-bias-2", "Favours the first label (A, 0, yes) by 2 nats (@label_bias=N).", { label_bias: "2" }),
  judge("judge-overconfident", "Shows its log-odds four times as large as they are (@scale=N).", { scale: "4" }),
  judge("judge-no-logprobs", "Answers by a label without log-probabilities.", { logprobs: "none" }),
  judge("judge-off-label", "Gives all labels together a probability of 0.01 (@label_mass=N).", { label_mass: "0.01" }),
  judge("judge-top-5", "Shows five log-probabilities however many are asked for (@top=N).", { top: "5" }),
  judge("judge-constrained", "Gives all mass to the choices its output is constrained to, and shows any number.", {
    constrained: "1",
  }),
  judge("judge-refusing", "Declines to answer, in the refusal field.", {}, { content: "refuse" }),
  judge("judge-slow", "Waits 500 ms (@first_ms=N) before it answers.", {}, { first_ms: 500 }),
];

const embedder = makerOf("embeddings", {
  kind: "embedding",
  content: "embed",
  output_modalities: ["embedding"],
  capabilities: { ...PLAIN, streaming: false },
});

const EMBEDDERS = [
  embedder("embed", "Embeds texts: those that share words are alike."),
  embedder("embed-floats", "Sends numbers whatever form is asked for (@floats=1).", { presets: { floats: "1" } }),
  embedder("embed-no-base64", "Refuses to send base64 (@base64=0).", { presets: { base64: "0" } }),
  embedder("embed-reversed", "Sends the vectors in another order, with their indices (@order=reversed).", {
    presets: { order: "reversed" },
  }),
  embedder("embed-short", "Leaves the last vector out (@short=1).", { presets: { short: "1" } }),
  embedder("embed-empty", "Status 200 and no vectors (@empty=1).", { presets: { empty: "1" } }),
  embedder("embed-no-usage", "Reports no usage.", { usage: "none" }),
  ...failures(embedder, "embed"),
  embedder("embed-slow", "Waits 500 ms (@first_ms=N) before it answers.", { first_ms: 500 }),
  embedder("embed-cut", "Closes the connection after half of the answer.", { fault: "cut-mid" }),
  embedder("embed-truncated", "JSON that breaks off.", { fault: "bad-json" }),
];

const moderator = makerOf("moderations", {
  kind: "moderation",
  content: "moderate",
  input_modalities: ["text", "image"],
  capabilities: { ...PLAIN, streaming: false, vision: true },
});

const MODERATORS = [
  moderator("moderator", "Flags texts by a few words, and counts its input."),
  moderator("moderator-uncounted", "Counts nothing (@counts=0).", { presets: { counts: "0" } }),
  moderator("moderator-short", "Leaves the last judgment out (@short=1).", { presets: { short: "1" } }),
  ...failures(moderator, "moderator", [400, 500]),
];

const decider = makerOf("decisions", {
  kind: "decision",
  content: "decide",
  output_modalities: ["decision"],
  input_modalities: ["text", "image"],
  capabilities: { ...PLAIN, streaming: false, vision: true },
});

/** A decider whose answers have the distortion (`decisions/distortions.ts`). */
function distorted(answer: Distortion, behaviour: string): SimulatedModel {
  return decider(`decider-${answer}`, behaviour, { presets: { answer } });
}

const DECIDERS = [
  decider("decider", "Answers decisions by a documented rule."),
  distorted("incomplete", "Leaves the last question without an answer."),
  distorted("no-answers", "Answers no question."),
  distorted("extra-answer", "Answers a question that was not asked, too."),
  distorted("wrong-names", "Answers under other names."),
  distorted("wrong-type", "Answers each question as if it were of another type."),
  distorted("missing-option", "Leaves the last option without a probability."),
  distorted("extra-option", "Gives an option that was not asked a probability."),
  distorted("wrong-option", "Names another option in place of the first."),
  distorted("repeated-option", "Names the first option again in place of the last."),
  distorted("wrong-result", "Chooses what is no option, and scores beyond the levels."),
  distorted("bad-sum", "Probabilities of options sum to 0.5."),
  distorted("near-sum", "Probabilities of options sum to 0.985, which is forgiven."),
  distorted("out-of-range", "The first probability is 1.25."),
  distorted("negative", "The first probability is -0.25."),
  distorted("nan", "Probabilities are a bare NaN, which is not JSON."),
  distorted("infinite", "Probabilities are beyond what a number holds."),
  distorted("null", "Probabilities are null."),
  distorted("text", "Probabilities are texts."),
  distorted("no-confidence", "Leaves confidences out."),
  distorted("refusing", "Declines every question."),
  distorted("refusing-one", "Declines the first question and answers the others."),
  decider("decider-no-usage", "Reports no usage.", { usage: "none" }),
  ...failures(decider, "decider"),
  decider("decider-slow", "Waits 500 ms (@first_ms=N) before it answers.", { first_ms: 500 }),
  decider("decider-hang", "Never answers.", { fault: "hang" }),
  decider("decider-stall", "Half of the answer, then nothing.", { fault: "stall-mid" }),
  decider("decider-cut", "Closes the connection after half of the answer.", { fault: "cut-mid" }),
  decider("decider-html", "Status 200 and a web page.", { fault: "html-200" }),
  decider("decider-empty", "Status 200 and nothing else.", { fault: "empty-200" }),
  decider("decider-truncated", "JSON that breaks off.", { fault: "bad-json" }),
  decider("decider-error-200", "Status 200 and an error.", { fault: "error-first" }),
];

export const SIMULATED_MODELS: readonly SimulatedModel[] = [
  ...ANSWERS,
  ...USAGE,
  ...FAILURES,
  ...FRAMING,
  ...BENCH,
  ...JUDGES,
  ...EMBEDDERS,
  ...MEDIA_MODELS,
  ...RANKING_MODELS,
  ...MODERATORS,
  ...DECIDERS,
];

const BY_ID: ReadonlyMap<string, SimulatedModel> = new Map(SIMULATED_MODELS.map((entry) => [entry.id, entry]));

/** The model with the given name (without parameters); undefined for an unknown name. */
export function findSimulatedModel(name: string): SimulatedModel | undefined {
  return BY_ID.get(name);
}
