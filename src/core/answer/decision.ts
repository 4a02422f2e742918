import type { DecisionSurface } from "../catalog/catalog.ts";
import type { DecisionEndpoint, Protocol } from "../endpoints.ts";
import type { ErrorCode } from "../errors.ts";
import type { Usage } from "../money/usage.ts";
import type { EncodedRequest } from "./codec.ts";
import type { ClientHeaders, ClientRequest, RemoteBody, Target, VendorFailure, WholeBody } from "./exchange.ts";
import type { GenerationRequest } from "./generation.ts";

export type { Calibration } from "../catalog/decide-with.ts";

/**
 * Decisions in neutral form: typed questions about one input, answered with probabilities. Both public shapes are
 * decoded into these types and encoded from them, and so are both vendors' shapes and our own engine's answers.
 */

interface DecisionText {
  readonly type: "text";
  readonly text: string;
}

/** An input value that is not text, as the client's own JSON, so that numbers and the order of keys stay. */
interface DecisionJson {
  readonly type: "json";
  readonly text: string;
}

export interface DecisionImage {
  readonly type: "image";
  /** A data URL; on the surface of vendors an address, too, which goes to the vendor. All other URLs were refused. */
  readonly url: string;
  readonly detail?: string;
}

export type DecisionPart = DecisionText | DecisionJson | DecisionImage;

interface QuestionBase {
  /** Null when the client gave none (`/v1/decisions` only). Never shown to a chat model (docs/rulings.md 33). */
  readonly name: string | null;
  readonly instructions: string;
  /**
   * The question as a System One client wrote it, where its instructions or descriptions are data in place of text. In
   * the fields here such data is the text of its JSON; vendors of System One's shape get the question as written
   * (docs/rulings.md 33).
   */
  readonly keyed_text?: string;
  /** The instructions as a `/v1/decisions` client wrote them, where they are parts: vendors of that shape get them so. */
  readonly parts_text?: string;
  /** The images in the instructions, and the characters of their URLs; absent where there are none. */
  readonly images?: { readonly count: number; readonly characters: number };
  /** Set where only vendors of one protocol can be asked this: others are not, with this error (docs/rulings.md 174). */
  readonly only?: OnlyFor;
}

export interface OnlyFor {
  readonly protocol: Protocol;
  readonly code: ErrorCode;
  readonly param: string;
  /** What stands at `param`, for the message. */
  readonly what: string;
}

/** A yes/no question. System One clients may describe what each answer means. */
export interface PredicateQuestion extends QuestionBase {
  readonly type: "predicate";
  readonly when_true: string | null;
  readonly when_false: string | null;
}

export interface ChoiceOption {
  /** `true` and `"true"` are different values (docs/rulings.md 30). */
  readonly value: string | boolean;
  readonly description: string | null;
}

/** One of 2 to 255 options, in the client's order. */
export interface ChoiceQuestion extends QuestionBase {
  readonly type: "choice";
  readonly options: readonly ChoiceOption[];
}

export interface ScoreLevel {
  readonly label: string | null;
  readonly description: string | null;
}

/** 2 to 10 levels, lowest first. */
export interface ScoreQuestion extends QuestionBase {
  readonly type: "score";
  readonly levels: readonly ScoreLevel[];
}

/** Where something is in an image: System One's own type, which goes to its vendors as it was written (docs/rulings.md 175). */
interface BoxQuestion extends QuestionBase {
  readonly type: "box";
  readonly keyed_text: string;
}

/** A question whose answer is probabilities: both shapes have it, and our engine answers it. */
export type ProbableQuestion = PredicateQuestion | ChoiceQuestion | ScoreQuestion;
export type Question = ProbableQuestion | BoxQuestion;
export type QuestionType = ProbableQuestion["type"];

/** A sketch of a decision's input that another thread holds. */
export interface InputSketch {
  /** The beginning of its texts, each by itself: as much as a tokenizer is given. */
  readonly first_texts: readonly string[];
  /** UTF-16 units, and UTF-8 bytes, of all its texts. */
  readonly characters: number;
  readonly bytes: number;
  readonly has_images: boolean;
  readonly image_tokens: number;
}

export interface DecisionRequest {
  /** The model as the client named it. */
  readonly model: string;
  /**
   * The input of the decision, one entry for each message: `/v1/decisions` may send several, System One's state is one.
   * The list and every message have entries, unless another thread holds the input (`sketch`): the list is then empty.
   */
  readonly input: readonly (readonly DecisionPart[])[];
  /**
   * The state and the assets as a System One client wrote them, where texts refer to images by name: vendors that know
   * such names get them as written (docs/rulings.md 164). `input` holds these images too, each after its name.
   */
  readonly keyed_input?: { readonly state: string; readonly assets: string };
  /**
   * Members of a `/v1/decisions` body that say more than the fields here, as they were written: `input` where it has more
   * than a user's messages, and wishes for the cache. Vendors of that shape get them so (docs/rulings.md 174).
   */
  readonly sent_members?: ReadonlyMap<string, string>;
  /** The wishes among them: elsewhere they are left out, and named. */
  readonly wishes?: readonly string[];
  /** Set where another thread holds the input (docs/adr/0027-body-workers.md). */
  readonly sketch?: InputSketch;
  /** 1 to 400, in the client's order. */
  readonly questions: readonly Question[];
  readonly safety_identifier: string | null;
}

/** The probability of yes. */
interface PredicateAnswer {
  readonly type: "predicate";
  readonly probability: number;
}

export interface ChoiceAnswer {
  readonly type: "choice";
  /** Index of the chosen option in the question. */
  readonly choice: number;
  readonly confidence: number;
  /** One for each option, in the question's order; they sum to 1. */
  readonly probabilities: readonly number[];
}

export interface ScoreAnswer {
  readonly type: "score";
  /** The expected level index, from 0 to levels − 1. */
  readonly score: number;
  readonly confidence: number;
  /** One for each level, lowest first; they sum to 1. */
  readonly probabilities: readonly number[];
}

/** The model declined this question. */
export interface RefusalAnswer {
  readonly type: "refusal";
  readonly reason: string | null;
}

/** A box as its vendor wrote it, checked: it goes to the client unchanged. */
export interface BoxAnswer {
  readonly type: "box";
  readonly keyed_text: string;
}

/** An answer to a question of the specification. */
export type ProbableAnswer = PredicateAnswer | ChoiceAnswer | ScoreAnswer | RefusalAnswer;
export type DecisionAnswer = ProbableAnswer | BoxAnswer;

export interface DecisionClientRequest extends ClientRequest {
  readonly decision: DecisionRequest;
  readonly remote?: RemoteDecision;
}

export interface EncodedBytes extends Omit<EncodedRequest, "body"> {
  readonly body: Uint8Array;
}

/** A decision request whose input another thread holds. Every function rejects as those of RemoteBody do. */
export interface RemoteDecision extends RemoteBody {
  /** See `DecisionVendorProtocol.encodeRequest`. */
  encodeDecision(target: Target): Promise<EncodedBytes>;
  /**
   * Encodes a call of our own engine, as `VendorCodec.encodeRequest` does once the request fits the target. `request` has no
   * material: the thread puts it before the question.
   */
  encodeCall(target: Target, request: GenerationRequest): Promise<EncodedBytes>;
}

/** The result from which a protocol writes an answer. */
export interface DecisionResult {
  /** The catalogue id that the answer shows as its model. */
  readonly model: string;
  /** One for each question, in their order. */
  readonly answers: readonly DecisionAnswer[];
  /** The usage that is billed: input alone, by its classes. */
  readonly usage: Usage;
}

/** A public decision endpoint: how clients speak to us. */
export interface DecisionClientProtocol {
  readonly protocol: Protocol;
  readonly endpoint: DecisionEndpoint;
  readonly error_style: "a";
  /** Checks a body against the specification; throws the GatewayError of docs/api.md 7.4 that fits, with `param`. */
  readRequest(text: string, surface?: DecisionSurface): DecisionClientRequest;
  /**
   * The body of the answer, as JSON text; keys stand in the order of the questions and options, integer-like keys
   * included. `cost` is the value of the usage's `cost`, where that is shown (docs/rulings.md 169).
   */
  encodeAnswer(result: DecisionResult, request: DecisionRequest, cost?: string): string;
}

/** A vendor's answer, checked for completeness, range, sum and options (docs/rulings.md 32). */
export interface VendorDecision {
  /** One for each question, in their order. */
  readonly answers: readonly DecisionAnswer[];
  /** The vendor's own usage, of its input alone; null when it gave none that can be believed. */
  readonly usage: Usage | null;
  /** The usage that cannot be believed, for the log; null otherwise. */
  readonly rejected_usage: unknown;
}

export interface DecisionVendorProtocol {
  readonly protocol: Protocol;
  /**
   * Names and questions are sent unchanged; what the vendor's shape has no field for is written into the instructions.
   * Throws a GatewayError for a question that only vendors of another protocol can be asked.
   */
  encodeRequest(request: DecisionRequest, target: Target, headers: ClientHeaders): EncodedRequest;
  /** Throws a GatewayError `upstream_invalid_response` that says what is wrong (docs/rulings.md 32, 38). */
  decodeAnswer(body: WholeBody, request: DecisionRequest): VendorDecision;
  readError(status: number, body: string): VendorFailure;
}
