import { type Feature, type Section, skipClients } from "../feature.ts";
import { type Question, says, type Turn } from "../question.ts";
import { LONG_TEXT, LONG_TEXT_TOKENS, ODD_TEXT, UNICODE_ANSWER } from "./words.ts";

const LAST = "Repeat: the quick brown fox";

/** A request whose answer repeats the user's last message, with at least `input_at_least` input tokens. */
function echoes(name: string, question: Question, input_at_least = 1): Feature {
  return {
    name,
    model: "echo",
    steps: [() => ({ question, answer: { text: "the quick brown fox", end: "stop", input_at_least } })],
  };
}

const NO_DEVELOPER = skipClients({ messages: "messages has one kind of instruction, the system prompt" });
const ONLY_FIRST = skipClients({ gemini: "Gemini has instructions at the beginning only" });
const INSTRUCTION = { role: "system", text: LONG_TEXT } as const;
const answered = { role: "assistant", text: LONG_TEXT } as const;

/** An instruction in the middle of a conversation, which applies from its place on. */
function amid(name: string, turns: readonly Turn[]): Feature {
  return { ...echoes(name, { turns }, LONG_TEXT_TOKENS), model: "mid-system", skip: ONLY_FIRST };
}

export const conversations: Section = {
  title: "Conversations",
  features: [
    echoes("text", { turns: [says(LAST)] }),
    echoes("system prompt", { system: [LONG_TEXT], turns: [says(LAST)] }, LONG_TEXT_TOKENS),
    echoes("system prompt in parts", { system: [LONG_TEXT, LONG_TEXT], turns: [says(LAST)] }, 2 * LONG_TEXT_TOKENS),
    {
      ...echoes("developer prompt", { developer: [LONG_TEXT], turns: [says(LAST)] }, LONG_TEXT_TOKENS),
      skip: NO_DEVELOPER,
    },
    {
      ...echoes(
        "system and developer prompts",
        { system: [LONG_TEXT], developer: [LONG_TEXT], turns: [says(LAST)] },
        2 * LONG_TEXT_TOKENS,
      ),
      skip: NO_DEVELOPER,
    },
    echoes("multi-turn", { turns: [says("First."), answered, says(LAST)] }, LONG_TEXT_TOKENS),
    echoes("a conversation that the assistant begins", { turns: [answered, says(LAST)] }, LONG_TEXT_TOKENS),
    amid("a system message amid the conversation, at its end", [says("First."), answered, says(LAST), INSTRUCTION]),
    amid("a system message between messages of the user", [says("First."), INSTRUCTION, says(LAST)]),
    amid("a system message behind an answer", [says("First."), answered, INSTRUCTION, says(LAST)]),
    {
      ...amid("a system message on a model that takes none there", [says(LAST), INSTRUCTION]),
      model: "echo",
    },
    echoes("several messages of the user in a row", { turns: [says(LONG_TEXT), says(LAST)] }, LONG_TEXT_TOKENS),
    {
      name: "multi-turn, the answer sent again as it came",
      model: "echo",
      steps: [
        () => ({ question: { turns: [says(LONG_TEXT)] }, answer: { end: "stop" } }),
        (_cell, [first]) => ({
          question: { turns: [says(LONG_TEXT), { role: "replay", native: first?.native ?? [] }, says(LAST)] },
          answer: { text: "the quick brown fox", end: "stop", input_at_least: 2 * LONG_TEXT_TOKENS },
        }),
      ],
    },
    echoes(
      "text in several blocks",
      {
        turns: [
          {
            role: "user",
            parts: [
              { kind: "text", text: LONG_TEXT },
              { kind: "text", text: LAST },
            ],
          },
        ],
      },
      LONG_TEXT_TOKENS,
    ),
    {
      name: "unicode, there and back",
      model: "echo",
      steps: [() => ({ question: { turns: [says(`Repeat: ${ODD_TEXT}`)] }, answer: { text: ODD_TEXT, end: "stop" } })],
    },
    {
      name: "unicode, a code point at a time",
      model: "unicode",
      steps: [
        () => ({ question: { turns: [says("Show unicode.")] }, answer: { text_is: UNICODE_ANSWER, end: "stop" } }),
      ],
    },
  ],
};
