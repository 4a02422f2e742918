import type { Cell } from "../cell.ts";
import { type Section, type Step, skipClients } from "../feature.ts";
import type { Part, Question } from "../question.ts";
import { PDF, PDF_URL, PICTURE_URL, PIXEL } from "./words.ts";

const LOOK: Part = { kind: "text", text: "What is in it?" };
const TEXT_FILE = { kind: "data", media_type: "text/plain", base64: btoa("Some plain text.") } as const;

function about(...parts: readonly Part[]): Question {
  return { turns: [{ role: "user", parts: [LOOK, ...parts] }] };
}

/**
 * The gateway fetches nothing: where the vendor takes only base64, a URL is a 400 that says so (docs/rulings.md 14).
 */
function byUrl(part: Part, base64_only: readonly Cell["vendor"][], text: string): (cell: Cell) => Step {
  return ({ vendor }) =>
    base64_only.includes(vendor)
      ? { question: about(part), error: { statuses: [400], says: "base64" } }
      : { question: about(part), answer: { text, end: "stop" } };
}

const NO_DOCUMENTS = "document blocks are unsupported in messages (docs/api.md 4.3)";

export const media: Section = {
  title: "Images and documents",
  features: [
    {
      name: "an image by data URL",
      model: "vision",
      steps: [
        () => ({
          question: about({ kind: "image", source: PIXEL }),
          answer: { text: "1 image: image/png of 70 bytes", end: "stop" },
        }),
      ],
    },
    {
      name: "several images",
      model: "vision",
      steps: [
        () => ({
          question: about({ kind: "image", source: PIXEL }, { kind: "image", source: PIXEL }),
          answer: { text: "2 images", end: "stop" },
        }),
      ],
    },
    {
      name: "an image by URL",
      model: "vision",
      steps: [byUrl({ kind: "image", source: PICTURE_URL }, ["bedrock"], PICTURE_URL.url)],
    },
    {
      name: "a PDF by data",
      model: "echo",
      steps: [
        () => ({
          question: about({ kind: "document", source: PDF, filename: "report.pdf" }),
          answer: { text: "What is in it?", end: "stop" },
        }),
      ],
      skip: skipClients({ messages: NO_DOCUMENTS }),
    },
    {
      name: "a text file by data",
      // OpenAI's chat takes PDFs only; the relay passes other files on and leaves the refusal to the vendor.
      model: "lenient",
      steps: [
        () => ({
          question: about({ kind: "document", source: TEXT_FILE, filename: "notes.txt" }),
          answer: { text: "What is in it?", end: "stop" },
        }),
      ],
      skip: skipClients({ messages: NO_DOCUMENTS }),
    },
    {
      name: "a PDF by URL",
      model: "echo",
      steps: [byUrl({ kind: "document", source: PDF_URL }, ["chat", "bedrock"], "What is in it?")],
      skip: skipClients({ chat: "chat has no documents by URL", messages: NO_DOCUMENTS }),
    },
  ],
};
